#include "store/open/location.h"

#include <fmt/format.h>

#include <filesystem>

namespace tegula {

namespace {

namespace fs = std::filesystem;

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

}  // namespace

bool overlap(const Store& a, const Store& b) {
  const std::string left = a.identity(), right = b.identity();
  constexpr std::string_view kFile = "file:";
  if (left.starts_with(kFile) && right.starts_with(kFile)) {
    const fs::path one = left.substr(kFile.size()), other = right.substr(kFile.size());
    return inside(one, other) || inside(other, one);
  }
  return left == right || left.starts_with(right + "/") || right.starts_with(left + "/");
}

bool same_place(const Store& a, const Store& b) {
  const std::string left = a.identity(), right = b.identity();
  constexpr std::string_view kFile = "file:";
  if (left == right || !left.starts_with(kFile) || !right.starts_with(kFile)) return left == right;
  std::error_code absent;
  return fs::equivalent(left.substr(kFile.size()), right.substr(kFile.size()), absent);
}

std::uint64_t fingerprint(const Store& store) {
  Hash hash;
  if (!store.hints().lists) return hash.value();
  for (const ListedFile& file : store.list_all("").files) {
    const std::string_view key = file.key;
    if (key.starts_with(kTemporaryPrefix) || key.find(fmt::format("/{}", kTemporaryPrefix)) != key.npos) continue;
    hash.add(bytes_of(key));
    hash.add(file.size);
    hash.add(bytes_of(file.state));
  }
  return hash.value();
}

}  // namespace tegula
