#include "store/wrap/indexed_store.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/fail.h"
#include "base/json.h"
#include "codec/checksum/checksum.h"
#include "store/wrap/wrapped_store.h"

namespace tegula {

namespace {

constexpr int kVersion = 1;

bool is_unfinished(std::string_view key) {
  const std::size_t slash = key.rfind('/');
  return key.substr(slash == std::string_view::npos ? 0 : slash + 1).starts_with(kTemporaryPrefix);
}

std::string hash_of(const std::vector<ListedFile>& files) {
  std::string lines;
  for (const ListedFile& file : files) lines += fmt::format("{}\n{}\n", file.key, file.size);
  std::string hex;
  for (const std::byte byte : codec::sha256(bytes_of(lines)))
    hex += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  return hex;
}

std::vector<ListedFile> parse_index(ByteView document, const std::string& name) {
  const Json index = parse_json(document, name);
  if (!index.is_object() || !index.contains("tegula_index"))
    fail(ErrorKind::corrupt, "{}: not an index of files", name);
  if (index["tegula_index"] != kVersion)
    fail(ErrorKind::unsupported, "{}: an index of version {}; version {} can be read", name,
         dump_json(index["tegula_index"]), kVersion);
  if (!index.contains("files") || !index["files"].is_array() || !index.contains("sha256"))
    fail(ErrorKind::corrupt, "{}: it lacks the files or their hash", name);
  std::vector<ListedFile> files;
  for (const Json& entry : index["files"]) {
    if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() || !entry[1].is_number_unsigned())
      fail(ErrorKind::corrupt, "{}: expected [NAME, SIZE], found {}", name, dump_json(entry));
    ListedFile file{entry[0].get<std::string>(), entry[1].get<std::uint64_t>(), ""};
    check_key(file.key);
    if (!files.empty() && files.back().key >= file.key)
      fail(ErrorKind::corrupt, "{}: '{}' is not in order", name, file.key);
    files.push_back(std::move(file));
  }
  if (index["sha256"] != hash_of(files)) fail(ErrorKind::corrupt, "{}: its hash does not fit its files", name);
  for (ListedFile& file : files) file.state = fmt::format("{} bytes", file.size);
  return files;
}

class IndexedStore final : public WrappedStore {
 public:
  IndexedStore(std::shared_ptr<Store> store, std::vector<ListedFile> files)
      : WrappedStore(std::move(store)), files_(std::move(files)) {}

  std::optional<Bytes> get(std::string_view key) const override {
    std::optional<Bytes> bytes = store_->get(key);
    check(key, bytes ? std::optional<std::uint64_t>(bytes->size()) : std::nullopt);
    return bytes;
  }
  void get(std::span<RangeRead> reads) const override {
    store_->get(reads);
    for (const RangeRead& read : reads) check_found(read.key, read.found);
  }
  void fetch(std::span<RangeRead> reads, const std::function<void(std::size_t)>& arrived) const override {
    store_->fetch(reads, [&](std::size_t i) {
      check_found(reads[i].key, reads[i].found);
      arrived(i);
    });
  }
  void get(std::span<FileRead> reads) const override {
    store_->get(reads);
    for (FileRead& read : reads) {
      // Servers deny names that are not there, and the index says that this one is not.
      if (read.failure && !find(read.key)) read.failure = nullptr;
      if (!read.failure) check(read.key, read.found ? std::optional(read.found->size) : std::nullopt);
    }
  }
  std::optional<Tail> tail(std::string_view key, std::uint64_t most) const override {
    std::optional<Tail> tail = store_->tail(key, most);
    check(key, tail ? std::optional(tail->size) : std::nullopt);
    return tail;
  }
  std::optional<std::uint64_t> size(std::string_view key) const override {
    check_key(key);
    if (const ListedFile* file = find(key)) return file->size;
    const std::optional<std::uint64_t> found = store_->size(key);
    check(key, found);
    return found;
  }
  StatedFile get_stated(std::string_view key) const override {
    StatedFile file = store_->get_stated(key);
    check(key, file.bytes ? std::optional<std::uint64_t>(file.bytes->size()) : std::nullopt);
    return file;
  }
  std::vector<Entry> list(std::string_view prefix) const override {
    const std::string start = start_of(prefix);
    std::vector<Entry> out;
    for (auto at = first(start); at != files_.end() && at->key.starts_with(start); ++at) {
      const std::string_view rest = std::string_view(at->key).substr(start.size());
      const std::size_t slash = rest.find('/');
      const bool folder = slash != std::string_view::npos;
      if (folder && !out.empty() && out.back().folder && out.back().name == rest.substr(0, slash)) continue;
      out.push_back({std::string(rest.substr(0, slash)), folder, folder ? 0 : at->size});
    }
    std::ranges::sort(out, {}, &Entry::name);
    return out;
  }
  Listing list_all(std::string_view prefix, std::size_t most) const override {
    const std::string start = start_of(prefix);
    Listing listing;
    for (auto at = first(start); at != files_.end() && at->key.starts_with(start); ++at) {
      if (listing.files.size() == most) {
        listing.complete = false;
        break;
      }
      listing.files.push_back(*at);
    }
    return listing;
  }
  StoreHints hints() const override {
    StoreHints hints = store_->hints();
    hints.lists = true;
    return hints;
  }

 private:
  static std::string start_of(std::string_view prefix) {
    if (prefix.empty()) return "";
    check_key(prefix);
    return std::string(prefix) + "/";
  }
  std::vector<ListedFile>::const_iterator first(std::string_view start) const {
    return std::ranges::lower_bound(files_, start, {}, &ListedFile::key);
  }
  const ListedFile* find(std::string_view key) const {
    const auto at = first(key);
    return at != files_.end() && at->key == key ? &*at : nullptr;
  }
  [[noreturn]] void stale(std::string_view key, const std::string& what) const {
    fail(ErrorKind::corrupt, "{}: {}: the index {} is older than the files; `tegula index` makes it anew",
         describe(key), what, kIndexKey);
  }
  void check_found(std::string_view key, bool found) const {
    if (is_unfinished(key)) return;
    const bool named = find(key) != nullptr;
    if (named && !found) stale(key, "it is not there");
    if (!named && found) stale(key, "it is there, but not in the index");
  }
  void check(std::string_view key, std::optional<std::uint64_t> size) const {
    check_found(key, size.has_value());
    if (const ListedFile* file = find(key); file && size && file->size != *size)
      stale(key, fmt::format("it has {} bytes, in the index {}", *size, file->size));
  }

  std::vector<ListedFile> files_;
};

}  // namespace

FileIndex index_files(const Store& store) {
  std::vector<ListedFile> files = store.list_all("").files;
  std::erase_if(files, [](const ListedFile& file) { return is_unfinished(file.key); });
  std::ranges::sort(files, {}, &ListedFile::key);
  Json entries = Json::array();
  for (const ListedFile& file : files) entries.push_back(Json::array({file.key, file.size}));
  Json index = Json::object();
  index["tegula_index"] = kVersion;
  index["files"] = std::move(entries);
  index["sha256"] = hash_of(files);
  FileIndex out{dump_json(index) + "\n", files.size(), 0};
  for (const ListedFile& file : files) out.bytes += file.size;
  return out;
}

std::shared_ptr<Store> indexed_store(std::shared_ptr<Store> store, ByteView document) {
  std::vector<ListedFile> files = parse_index(document, store->describe(kIndexKey));
  return std::make_shared<IndexedStore>(std::move(store), std::move(files));
}

std::shared_ptr<Store> with_index(std::shared_ptr<Store> store) {
  if (store->hints().lists) return store;
  FileRead read{kIndexKey};
  read.may_fail = true;
  store->get(std::span(&read, 1));
  // Servers deny names that are not there.
  if (!read.found) return store;
  return indexed_store(std::move(store), read.found->bytes);
}

}  // namespace tegula
