#include "store/file/root_folder.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <climits>
#include <cstdlib>

#include "base/fail.h"

namespace tegula {

namespace {

constexpr int kFolder = O_PATH | O_DIRECTORY | O_CLOEXEC;

std::string_view folder_of(std::string_view key) {
  const std::size_t slash = key.rfind('/');
  return slash == std::string_view::npos ? std::string_view{} : key.substr(0, slash);
}

std::string name_of(std::string_view key) { return std::string(key.substr(key.rfind('/') + 1)); }

std::string temporary_name() {
  std::uint64_t random = 0;
  if (::getrandom(&random, sizeof random, 0) != static_cast<ssize_t>(sizeof random))
    random = static_cast<std::uint64_t>(::getpid());
  return fmt::format("{}{:016x}", kTemporaryPrefix, random);
}

}  // namespace

std::string folder_around(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string RootFolder::path_of(std::string_view key) const {
  return key.empty() ? path_ : fmt::format("{}/{}", path_, key);
}

Descriptor RootFolder::open_root() const {
  return Descriptor(retry([&] { return ::open(path_.c_str(), kFolder); }));
}

Descriptor RootFolder::open(std::string_view key, int flags) const {
  if (!key.empty()) check_key(key);
  flags |= O_CLOEXEC;
  if (!(flags & O_PATH)) flags |= O_NONBLOCK;  // opening a FIFO must not wait for a writer
  const std::string path = path_of(key);
  if (options_.follow_links || key.empty()) return Descriptor(retry([&] { return ::open(path.c_str(), flags); }));
  const Descriptor root = open_root();
  if (!root) return Descriptor();
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  const std::string relative(key);
  const int fd =
      static_cast<int>(retry([&] { return ::syscall(SYS_openat2, root.get(), relative.c_str(), &how, sizeof how); }));
  if (fd >= 0 || errno != ENOSYS) return Descriptor(fd);
  return open_checked(path, flags);
}

// For kernels without openat2: resolve first, then compare. A link changed in between is not noticed.
Descriptor RootFolder::open_checked(const std::string& path, int flags) const {
  char root[PATH_MAX], real[PATH_MAX];
  if (!::realpath(path_.c_str(), root) || !::realpath(path.c_str(), real)) return Descriptor();
  const std::string_view inside(root);
  if (!std::string_view(real).starts_with(inside) || (inside != "/" && real[inside.size()] != '/')) {
    errno = EXDEV;
    return Descriptor();
  }
  return Descriptor(retry([&] { return ::open(real, flags); }));
}

Descriptor RootFolder::open_parent(std::string_view key) const { return open(folder_of(key), kFolder); }

void RootFolder::make_folders(std::string_view key) const {
  if (open(key, kFolder)) return;
  if (errno != ENOENT) fail_system(errno, "making folder", path_of(key));
  if (key.empty()) return make_root(path_);
  make_folders(folder_of(key));
  const Descriptor parent = open_parent(key);
  if (!parent) fail_system(errno, "making folder", path_of(key));
  if (::mkdirat(parent.get(), name_of(key).c_str(), 0777) == 0) return sync(folder_of(key), key);
  if (errno != EEXIST) fail_system(errno, "making folder", path_of(key));
}

// The folders above the array are outside of it: links among them are followed.
void RootFolder::make_root(const std::string& path) const {
  const std::string around = folder_around(path);
  if (::mkdir(path.c_str(), 0777) != 0) {
    if (errno == EEXIST) return;
    if (errno != ENOENT || around == path) fail_system(errno, "making folder", path);
    make_root(around);
    if (::mkdir(path.c_str(), 0777) != 0 && errno != EEXIST) fail_system(errno, "making folder", path);
  }
  if (!options_.sync) return;
  step("sync folder", path);
  sync_descriptor(Descriptor(::open(around.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)), around);
}

void RootFolder::sync(std::string_view folder, std::string_view changed) const {
  if (!options_.sync) return;
  step("sync folder", changed);
  sync_descriptor(open(folder, O_RDONLY | O_DIRECTORY), path_of(folder));
}

void RootFolder::sync_descriptor(const Descriptor& folder, const std::string& path) const {
  if (!folder) fail_system(errno, "syncing folder", path);
  // Some file systems cannot sync folders (EINVAL); they write names in order anyway.
  if (retry([&] { return ::fsync(folder.get()); }) != 0 && errno != EINVAL) fail_system(errno, "syncing folder", path);
}

void RootFolder::remove(std::string_view key) const {
  check_key(key);
  step("remove", key);
  const Descriptor parent = open_parent(key);
  const std::string name = name_of(key);
  if (!parent) {
    if (errno == ENOENT || errno == ENOTDIR) return;
    fail_system(errno, "removing", path_of(key));
  }
  if (::unlinkat(parent.get(), name.c_str(), 0) == 0 || errno == ENOENT) return;
  if (errno == EISDIR || errno == EPERM) {
    if (::unlinkat(parent.get(), name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) return;
  }
  fail_system(errno, "removing", path_of(key));
}

Descriptor RootFolder::create_temporary(int flags, unsigned mode, std::string& name) const {
  name = temporary_name();
  const Descriptor root = open_root();
  if (!root) fail_system(errno, "creating", path_of(name));
  Descriptor file(
      retry([&] { return ::openat(root.get(), name.c_str(), flags | O_CREAT | O_EXCL | O_CLOEXEC, mode); }));
  if (!file) fail_system(errno, "creating", path_of(name));
  return file;
}

Descriptor RootFolder::open_or_create(std::string_view name, int flags) const {
  const Descriptor root = open_root();
  if (!root) fail_system(errno, "opening", path_of(name));
  Descriptor file(retry(
      [&] { return ::openat(root.get(), std::string(name).c_str(), flags | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666); }));
  if (!file) fail_system(errno, "opening", path_of(name));
  return file;
}

Descriptor RootFolder::open_temporary(const std::string& name, int flags) const {
  const Descriptor root = open_root();
  Descriptor file(root ? retry([&] { return ::openat(root.get(), name.c_str(), flags | O_CLOEXEC | O_NOFOLLOW); })
                       : -1);
  if (!file) fail_system(errno, "opening", path_of(name));
  return file;
}

void RootFolder::remove_temporary(const std::string& name) const noexcept {
  if (const Descriptor root = open_root()) ::unlinkat(root.get(), name.c_str(), 0);
}

void RootFolder::rename_temporary(const std::string& name, std::string_view key) const {
  const Descriptor root = open_root(), parent = root ? open_parent(key) : Descriptor();
  if (!parent || ::renameat(root.get(), name.c_str(), parent.get(), name_of(key).c_str()) != 0)
    fail_system(errno, "renaming to", path_of(key));
}

}  // namespace tegula
