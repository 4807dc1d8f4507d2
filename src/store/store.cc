#include "store/store.h"

#include <algorithm>

#include "base/fail.h"
#include "base/parallel.h"

namespace tegula {

std::string join(std::string_view a, std::string_view b) {
  if (a.empty()) return std::string(b);
  if (b.empty()) return std::string(a);
  return fmt::format("{}/{}", a, b);
}

void check_key(std::string_view key) {
  std::size_t from = 0;
  for (;;) {
    const std::size_t slash = std::min(key.find('/', from), key.size());
    const std::string_view part = key.substr(from, slash - from);
    if (part.empty() || part == "." || part == ".." || part.find('\0') != std::string_view::npos)
      fail(ErrorKind::invalid_argument, "'{}' is not a name inside the array", key);
    if (slash == key.size()) return;
    from = slash + 1;
  }
}

std::optional<Bytes> Store::get(std::string_view key, std::uint64_t offset, std::uint64_t length) const {
  // The length may come from a file: never allocate more than there is to read.
  const std::optional<std::uint64_t> there = size(key);
  if (!there) return std::nullopt;
  if (offset > *there || length > *there - offset)
    fail(ErrorKind::corrupt, "{}: expected {} bytes at byte {}, found {} bytes in all", describe(key), length, offset,
         *there);
  Bytes bytes(length);
  RangeRead read{key, offset, bytes};
  get(std::span(&read, 1));
  if (!read.found) return std::nullopt;
  return bytes;
}

void commit_together(Store& store, std::string_view folder, std::span<const std::unique_ptr<Upload>> uploads,
                     const Work& work) {
  // Syncs wait for the disk, which handles several at a time.
  constexpr std::size_t kSyncs = 8;
  Work syncs = work;
  if (work.threads != 1) syncs.threads = static_cast<unsigned>(std::min(uploads.size(), kSyncs));
  parallel_for(syncs, uploads.size(), [&](std::size_t i) { uploads[i]->sync(); });
  for (const std::unique_ptr<Upload>& upload : uploads) upload->appear();
  store.sync_folder(folder);
}

void Store::remove_tree(std::string_view prefix) {
  for (const Entry& entry : list(prefix)) {
    const std::string key = join(prefix, entry.name);
    entry.folder ? remove_tree(key) : remove(key);
  }
  if (!prefix.empty()) remove(prefix);
}

}  // namespace tegula
