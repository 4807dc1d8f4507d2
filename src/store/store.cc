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

void Store::fetch(std::span<RangeRead> reads, const std::function<void(std::size_t)>& arrived) const {
  get(reads);
  for (std::size_t i = 0; i < reads.size(); ++i) arrived(i);
}

void Store::get(std::span<FileRead> reads) const {
  for (FileRead& read : reads) {
    read.found.reset();
    read.failure = nullptr;
    try {
      if (read.most != UINT64_MAX) {
        read.found = tail(read.key, read.most);
      } else if (std::optional<Bytes> bytes = get(read.key)) {
        const std::uint64_t size = bytes->size();
        read.found = Tail{*std::move(bytes), size};
      }
    } catch (const Error& error) {
      if (!read.may_fail || error.kind() != ErrorKind::permission) throw;
      read.failure = std::current_exception();
    }
  }
}

void Store::remove(std::span<const std::string> keys) {
  for (const std::string& key : keys) remove(key);
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
  // Where there are no renames, a file appears when it is sent.
  const unsigned in_flight = store.hints().in_flight;
  Work sends = work;
  sends.threads = in_flight ? static_cast<unsigned>(std::min<std::size_t>(uploads.size(), in_flight)) : 1;
  parallel_for(sends, uploads.size(), [&](std::size_t i) { uploads[i]->appear(); });
  store.sync_folder(folder);
}

void Store::remove_tree(std::string_view prefix) {
  constexpr std::size_t kAtOnce = 10000;  // keys to hold in memory
  if (!hints().empty_folders) {
    for (std::string first;;) {
      Listing some = list_all(prefix, kAtOnce);
      std::vector<std::string> keys;
      for (ListedFile& file : some.files) keys.push_back(std::move(file.key));
      if (!keys.empty() && keys.front() == first)
        fail(ErrorKind::io, "'{}' was removed, but is still listed", describe(first));
      remove(keys);
      if (some.complete) return;
      first = keys.empty() ? std::string() : std::move(keys.front());
    }
  }
  // A folder is removed when everything that was found in it is gone: it is met a second time.
  struct Folder {
    std::string key;
    bool emptied = false;
  };
  std::vector<Folder> left = {{std::string(prefix)}};
  while (!left.empty()) {
    if (left.back().emptied) {
      if (!left.back().key.empty()) remove(left.back().key);
      left.pop_back();
      continue;
    }
    left.back().emptied = true;
    const std::string folder = left.back().key;
    for (const Entry& entry : list(folder)) {
      std::string key = join(folder, entry.name);
      if (entry.folder)
        left.push_back({std::move(key)});
      else
        remove(key);
    }
  }
}

}  // namespace tegula
