#include "store/open/location.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "base/fail.h"

namespace tegula {

namespace {

namespace fs = std::filesystem;

// Stores know no times and no links, so these ask the file system.
bool in_memory(const Store& store) { return store.describe("").starts_with("mem://"); }

fs::path real_path(const Store& store) {
  std::error_code error;
  fs::path path = fs::absolute(store.describe(""), error);
  if (fs::path canonical = fs::weakly_canonical(path, error); !error) path = std::move(canonical);
  return path.has_filename() ? path : path.parent_path();
}

// True for the folder itself too. The same folder may have several real paths (mounts).
bool inside(const fs::path& path, const fs::path& folder) {
  for (fs::path at = path;; at = at.parent_path()) {
    std::error_code absent;
    if (at == folder || fs::equivalent(at, folder, absent)) return true;
    if (!at.has_relative_path()) return false;
  }
}

// FNV-1a.
class Hash {
 public:
  void add(ByteView bytes) {
    for (const std::byte b : bytes) value_ = (value_ ^ std::to_integer<std::uint64_t>(b)) * 0x100000001B3u;
  }
  void add(std::uint64_t number) { add(std::as_bytes(std::span(&number, 1))); }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xCBF29CE484222325u;
};

void add_file(Hash& hash, const Store& store, const std::string& key) {
  if (in_memory(store)) {
    if (const std::optional<Bytes> bytes = store.get(key)) hash.add(*bytes);
    return;
  }
  struct stat status;
  const std::string path = store.describe(key);
  if (::stat(path.c_str(), &status) != 0) fail(ErrorKind::io, "{}: its time cannot be read", path);
  hash.add(static_cast<std::uint64_t>(status.st_mtim.tv_sec));
  hash.add(static_cast<std::uint64_t>(status.st_mtim.tv_nsec));
  hash.add(static_cast<std::uint64_t>(status.st_ino));
}

void add_folder(Hash& hash, const Store& store, const std::string& prefix) {
  for (const Entry& entry : store.list(prefix)) {
    if (entry.name.starts_with(kTemporaryPrefix)) continue;
    const std::string key = join(prefix, entry.name);
    hash.add(bytes_of(key));
    hash.add(entry.size);
    if (entry.folder)
      add_folder(hash, store, key);
    else
      add_file(hash, store, key);
  }
}

}  // namespace

bool overlap(const Store& a, const Store& b) {
  if (&a == &b) return true;
  if (in_memory(a) || in_memory(b)) return false;
  const fs::path left = real_path(a), right = real_path(b);
  return inside(left, right) || inside(right, left);
}

std::uint64_t fingerprint(const Store& store) {
  Hash hash;
  add_folder(hash, store, "");
  return hash.value();
}

}  // namespace tegula
