// How a file comes to be:
//   1. It is written under a temporary name in the root folder of the store. Not beside its final place: other
//      libraries take every file of some folders (TileDB's __schema) for data, and a crash may leave it behind.
//   2. It is synced, so that its bytes are on the disk before its name is. Long files are sent on their way while they
//      are written; an empty one has no bytes to wait for.
//   3. It is renamed to its final name, which replaces an older file of that name in one step.
//   4. The folder is synced, so that the new name survives a power loss.
// A crash before 3 leaves what was there before, plus a file named .tegula-*.
//
// Reads use pread: a mapped file that somebody cuts short would end the process, and 64 KiB reads are as fast from the
// page cache.
#include "store/file/file_store.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/fail.h"
#include "store/adjacent_ranges.h"

namespace tegula {

namespace {

[[noreturn]] void fail_system(int error, std::string_view doing, std::string_view path) {
  switch (error) {
    case EACCES:
    case EPERM:
    case EROFS:
      fail(ErrorKind::permission, "{} '{}': {}", doing, path, std::strerror(error));
    case ENOSPC:
    case EDQUOT:
      fail(ErrorKind::io, "{} '{}': {}; free some space and try again", doing, path, std::strerror(error));
    case ELOOP:
    case EXDEV:
      fail(ErrorKind::permission, "{} '{}': a link in it leads outside of the array or in circles", doing, path);
    case ENAMETOOLONG:
      fail(ErrorKind::invalid_argument, "{} '{}': the name is too long for this file system", doing, path);
    default:
      fail(ErrorKind::io, "{} '{}': {}", doing, path, std::strerror(error));
  }
}

class Fd {
 public:
  explicit Fd(int fd = -1) noexcept : fd_(fd) {}
  ~Fd() { reset(); }
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    reset(std::exchange(other.fd_, -1));
    return *this;
  }
  void reset(int fd = -1) noexcept {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }
  int release() noexcept { return std::exchange(fd_, -1); }
  int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }

 private:
  int fd_;
};

constexpr std::size_t kMostPieces = 512;  // of one preadv; systems allow 1024

template <class F>
auto retry(F call) {
  for (;;) {
    const auto result = call();
    if (result != -1 || errno != EINTR) return result;
  }
}

void write_at(int fd, std::uint64_t offset, ByteView bytes, std::string_view path) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = retry(
        [&] { return ::pwrite(fd, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done)); });
    if (n < 0) fail_system(errno, "writing", path);
    done += static_cast<std::size_t>(n);
  }
}

class FileStore final : public Store {
 public:
  FileStore(std::string root, const StoreOptions& options) : root_(std::move(root)), options_(options) {}

  std::optional<Bytes> get(std::string_view key) const override {
    struct stat status;
    const Fd file = open_file(key, status);
    if (!file) return std::nullopt;
    Bytes bytes(static_cast<std::size_t>(status.st_size));
    read_exactly(file.get(), 0, bytes, key, bytes.size());
    return bytes;
  }

  void get(std::span<RangeRead> reads) const override {
    Fd file;
    std::string_view open_key;
    struct stat status{};
    for (std::size_t i = 0; i < reads.size();) {
      const std::size_t end = std::min(adjacent_end(reads, i), i + kMostPieces);
      if (!file || reads[i].key != open_key) {
        file = open_file(reads[i].key, status);
        open_key = reads[i].key;
      }
      const std::span<RangeRead> some = reads.subspan(i, end - i);
      for (RangeRead& read : some) read.found = static_cast<bool>(file);
      if (file) read_pieces(file.get(), some, static_cast<std::uint64_t>(status.st_size));
      i = end;
    }
  }

  std::optional<Tail> tail(std::string_view key, std::uint64_t most) const override {
    struct stat status;
    const Fd file = open_file(key, status);
    if (!file) return std::nullopt;
    const auto size = static_cast<std::uint64_t>(status.st_size);
    Tail tail{Bytes(std::min(most, size)), size};
    read_exactly(file.get(), size - tail.bytes.size(), tail.bytes, key, size);
    return tail;
  }

  std::optional<std::uint64_t> size(std::string_view key) const override {
    struct stat status;
    const Fd file = open_file(key, status, O_PATH);
    return file ? std::optional(static_cast<std::uint64_t>(status.st_size)) : std::nullopt;
  }

  std::vector<Entry> list(std::string_view prefix) const override {
    Fd folder = open_below(prefix, O_RDONLY | O_DIRECTORY);
    if (!folder) {
      if (errno == ENOENT || errno == ENOTDIR) return {};
      fail_system(errno, "listing", describe(prefix));
    }
    DIR* stream = ::fdopendir(folder.get());
    if (!stream) fail_system(errno, "listing", describe(prefix));
    const int fd = folder.release();  // closedir() closes it
    std::vector<Entry> entries;
    int error = 0;
    for (;;) {
      errno = 0;
      const dirent* entry = ::readdir(stream);
      if (!entry) {
        error = errno;
        break;
      }
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      struct stat status;
      if (::fstatat(fd, entry->d_name, &status, 0) != 0) continue;  // gone meanwhile, or a dangling link: not there
      entries.push_back({std::string(name), S_ISDIR(status.st_mode), static_cast<std::uint64_t>(status.st_size)});
      if (entries.back().folder) entries.back().size = 0;
    }
    ::closedir(stream);
    if (error) fail_system(error, "listing", describe(prefix));
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
    return entries;
  }

  void put(std::string_view key, std::span<const ByteView> parts) override;
  std::unique_ptr<Upload> begin(std::string_view key) override;
  std::unique_ptr<Scratch> scratch() override;

  void remove(std::string_view key) override {
    check_key(key);
    step("remove", key);
    const std::string path = path_of(key);
    if (::unlink(path.c_str()) == 0 || errno == ENOENT || errno == ENOTDIR) return;
    if (errno == EISDIR || errno == EPERM) {
      if (::rmdir(path.c_str()) == 0 || errno == ENOENT) return;
    }
    fail_system(errno, "removing", path);
  }

  void make_folder(std::string_view key) override {
    check_key(key);
    make_folders(path_of(key));
  }

  void sync_folder(std::string_view prefix) override {
    if (!prefix.empty()) check_key(prefix);
    sync_path(prefix.empty() ? root_ : path_of(prefix), prefix);
  }

  std::string describe(std::string_view key) const override { return key.empty() ? root_ : path_of(key); }

  void step(std::string_view what, std::string_view key) const {
    if (options_.before_step) options_.before_step(what, key);
  }
  bool sync() const { return options_.sync; }

  std::string temporary_path() const {
    std::uint64_t random = 0;
    if (::getrandom(&random, sizeof random, 0) != static_cast<ssize_t>(sizeof random))
      random = static_cast<std::uint64_t>(::getpid());
    return fmt::format("{}/{}{:016x}", root_, kTemporaryPrefix, random);
  }

  // Makes the folder of `path` and those above it; new ones are synced into their parents.
  void make_folders(const std::string& path) const {
    if (::mkdir(path.c_str(), 0777) == 0) {
      if (const std::size_t slash = path.rfind('/'); slash != std::string::npos && slash > 0)
        sync_path(path.substr(0, slash), path);
      return;
    }
    if (errno == EEXIST) return;
    const std::size_t slash = path.rfind('/');
    if (errno != ENOENT || slash == std::string::npos || slash == 0) fail_system(errno, "making folder", path);
    make_folders(path.substr(0, slash));
    if (::mkdir(path.c_str(), 0777) != 0 && errno != EEXIST) fail_system(errno, "making folder", path);
    sync_path(path.substr(0, slash), path);
  }

  void sync_path(const std::string& folder, std::string_view key) const {
    if (!options_.sync) return;
    step("sync folder", key);
    const Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    // Some file systems cannot sync folders; they keep names in order by themselves.
    if (!fd) fail_system(errno, "syncing folder", folder);
    if (retry([&] { return ::fsync(fd.get()); }) != 0 && errno != EINVAL) fail_system(errno, "syncing folder", folder);
  }

  std::string path_of(std::string_view key) const { return fmt::format("{}/{}", root_, key); }

 private:
  // Opens below the root; a link may not lead outside. Fails with errno set.
  Fd open_below(std::string_view key, int flags) const {
    if (!key.empty()) check_key(key);
    flags |= O_CLOEXEC;
    if (!(flags & O_PATH)) flags |= O_NONBLOCK;  // a FIFO must not hold us up
    const std::string path = key.empty() ? root_ : path_of(key);
    if (options_.follow_links || key.empty()) return Fd(retry([&] { return ::open(path.c_str(), flags); }));
    const Fd root(::open(root_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!root) return Fd();
    open_how how{};
    how.flags = static_cast<std::uint64_t>(flags);
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
    const std::string relative(key);
    const int fd =
        static_cast<int>(retry([&] { return ::syscall(SYS_openat2, root.get(), relative.c_str(), &how, sizeof how); }));
    if (fd >= 0 || errno != ENOSYS) return Fd(fd);
    return open_checked(path, flags);
  }

  // For kernels without openat2: resolve first, then compare. A link changed in between is not noticed.
  Fd open_checked(const std::string& path, int flags) const {
    char root[PATH_MAX], real[PATH_MAX];
    if (!::realpath(root_.c_str(), root) || !::realpath(path.c_str(), real)) return Fd();
    const std::string_view inside(root);
    if (!std::string_view(real).starts_with(inside) || (inside != "/" && real[inside.size()] != '/')) {
      errno = EXDEV;
      return Fd();
    }
    return Fd(retry([&] { return ::open(real, flags); }));
  }

  // No descriptor: absent. Throws for everything else that is not a regular file.
  Fd open_file(std::string_view key, struct stat& status, int flags = O_RDONLY) const {
    check_key(key);
    Fd file = open_below(key, flags);
    if (!file) {
      if (errno == ENOENT || errno == ENOTDIR) return file;
      fail_system(errno, "opening", describe(key));
    }
    if (::fstat(file.get(), &status) != 0) fail_system(errno, "looking at", describe(key));
    if (!S_ISREG(status.st_mode))
      fail(ErrorKind::io, "'{}' is {}, expected a file", describe(key),
           S_ISDIR(status.st_mode) ? "a folder" : "a special file");
    return file;
  }

  void read_exactly(int fd, std::uint64_t offset, MutableBytes into, std::string_view key,
                    std::uint64_t file_size) const {
    check_size(offset, into.size(), key, file_size);
    std::size_t done = 0;
    while (done < into.size()) {
      const ssize_t n =
          retry([&] { return ::pread(fd, into.data() + done, into.size() - done, static_cast<off_t>(offset + done)); });
      if (n < 0) fail_system(errno, "reading", describe(key));
      if (n == 0) fail(ErrorKind::io, "'{}' was cut short while it was read", describe(key));
      done += static_cast<std::size_t>(n);
    }
  }

  // Ranges that lie back to back in the file.
  void read_pieces(int fd, std::span<const RangeRead> reads, std::uint64_t file_size) const {
    const auto [key, offset, first, found] = reads[0];
    if (reads.size() == 1) return read_exactly(fd, offset, first, key, file_size);
    std::uint64_t size = 0;
    std::array<iovec, kMostPieces> pieces;
    for (std::size_t i = 0; i < reads.size(); ++i) {
      pieces[i] = {reads[i].into.data(), reads[i].into.size()};
      size += reads[i].into.size();
    }
    check_size(offset, size, key, file_size);
    std::uint64_t done = 0;
    for (std::span<iovec> left(pieces.data(), reads.size()); done < size;) {
      const ssize_t n = retry(
          [&] { return ::preadv(fd, left.data(), static_cast<int>(left.size()), static_cast<off_t>(offset + done)); });
      if (n < 0) fail_system(errno, "reading", describe(key));
      if (n == 0) fail(ErrorKind::io, "'{}' was cut short while it was read", describe(key));
      done += static_cast<std::uint64_t>(n);
      for (auto rest = static_cast<std::size_t>(n); rest > 0 || (!left.empty() && left[0].iov_len == 0);) {
        const std::size_t taken = std::min(rest, left[0].iov_len);
        left[0] = {static_cast<std::byte*>(left[0].iov_base) + taken, left[0].iov_len - taken};
        rest -= taken;
        if (left[0].iov_len == 0) left = left.subspan(1);
      }
    }
  }

  // Before the read, so that a damaged length names what is really there.
  void check_size(std::uint64_t offset, std::uint64_t size, std::string_view key, std::uint64_t file_size) const {
    if (offset > file_size || size > file_size - offset)
      fail(ErrorKind::corrupt, "'{}': expected {} bytes at byte {}, found {} bytes in all", describe(key), size, offset,
           file_size);
  }

  std::string root_;
  StoreOptions options_;
};

class FileUpload final : public Upload {
 public:
  FileUpload(const FileStore& store, std::string_view key) : store_(store), key_(key) {
    check_key(key);
    const std::size_t slash = key_.rfind('/');
    folder_ = slash == std::string::npos ? store.describe("") : store.path_of(std::string_view(key_).substr(0, slash));
    store_.make_folders(folder_);
    temporary_ = store_.temporary_path();
    store_.step("create", key_);
    file_ = Fd(retry([&] { return ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); }));
    if (!file_) fail_system(errno, "creating", temporary_);
  }

  ~FileUpload() override {
    if (!committed_ && file_) ::unlink(temporary_.c_str());
  }

  void append(ByteView part) override {
    store_.step("write", key_);
    write_at(file_.get(), size_, part, store_.path_of(key_));
    size_ += part.size();
    if (!store_.sync() || size_ - sent_ < kSendAtOnce) return;
    // A hint: what it does not do, the sync at the end does.
    ::sync_file_range(file_.get(), static_cast<off_t>(sent_), static_cast<off_t>(size_ - sent_), SYNC_FILE_RANGE_WRITE);
    sent_ = size_;
  }

  void commit() override {
    sync();
    appear();
    store_.sync_path(folder_, key_);
  }

  void sync() override {
    if (!store_.sync() || size_ == 0) return;
    store_.step("sync", key_);
    if (retry([&] { return ::fsync(file_.get()); }) != 0) fail_system(errno, "syncing", store_.path_of(key_));
  }

  void appear() override {
    store_.step("rename", key_);
    if (::rename(temporary_.c_str(), store_.path_of(key_).c_str()) != 0)
      fail_system(errno, "renaming to", store_.path_of(key_));
    committed_ = true;
  }

 private:
  static constexpr std::uint64_t kSendAtOnce = 8 << 20;
  const FileStore& store_;
  std::string key_, folder_, temporary_;
  Fd file_;
  std::uint64_t size_ = 0, sent_ = 0;  // bytes written, and those that the disk was asked to take
  bool committed_ = false;
};

// A file without a name.
class FileScratch final : public Scratch {
 public:
  explicit FileScratch(const FileStore& store) : store_(store), path_(store.temporary_path()) {
    store_.make_folders(store_.describe(""));
    store_.step("create", "");
    file_ = Fd(retry([&] { return ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600); }));
    if (!file_) fail_system(errno, "creating", path_);
    ::unlink(path_.c_str());
  }
  void write(std::uint64_t offset, ByteView bytes) override {
    store_.step("write", "");
    write_at(file_.get(), offset, bytes, path_);
  }
  void read(std::uint64_t offset, MutableBytes into) const override {
    for (std::size_t done = 0; done < into.size();) {
      const ssize_t n = retry([&] {
        return ::pread(file_.get(), into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
      });
      if (n < 0) fail_system(errno, "reading", path_);
      if (n == 0) fail(ErrorKind::io, "'{}' is read where nothing was written", path_);
      done += static_cast<std::size_t>(n);
    }
  }

 private:
  const FileStore& store_;
  const std::string path_;
  Fd file_;
};

std::unique_ptr<Scratch> FileStore::scratch() { return std::make_unique<FileScratch>(*this); }

void FileStore::put(std::string_view key, std::span<const ByteView> parts) {
  FileUpload upload(*this, key);
  for (const ByteView part : parts) upload.append(part);
  upload.commit();
}

std::unique_ptr<Upload> FileStore::begin(std::string_view key) { return std::make_unique<FileUpload>(*this, key); }

}  // namespace

std::shared_ptr<Store> open_file_store(std::string root, const StoreOptions& options) {
  if (root.empty()) fail(ErrorKind::invalid_argument, "an empty path names nothing; write '.' for the current folder");
  while (root.size() > 1 && root.back() == '/') root.pop_back();
  return std::make_shared<FileStore>(std::move(root), options);
}

}  // namespace tegula
