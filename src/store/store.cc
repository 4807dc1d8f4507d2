#include "store/store.h"

#include <algorithm>

#include "base/fail.h"
#include "base/parallel.h"
#include "store/file.h"
#include "store/memory.h"

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
  // Syncs wait for the disk, which takes several of them at once.
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

namespace {

class SubStore final : public Store {
 public:
  SubStore(std::shared_ptr<Store> store, std::string prefix) : store_(std::move(store)), prefix_(std::move(prefix)) {}

  std::optional<Bytes> get(std::string_view key) const override { return store_->get(at(key)); }
  void get(std::span<RangeRead> reads) const override {
    std::vector<std::string> keys;
    std::vector<RangeRead> inner(reads.begin(), reads.end());
    keys.reserve(reads.size());
    for (std::size_t i = 0; i < reads.size(); ++i)
      inner[i].key = i > 0 && reads[i].key == reads[i - 1].key ? inner[i - 1].key : keys.emplace_back(at(reads[i].key));
    store_->get(inner);
    for (std::size_t i = 0; i < reads.size(); ++i) reads[i].found = inner[i].found;
  }
  std::optional<Tail> tail(std::string_view key, std::uint64_t most) const override {
    return store_->tail(at(key), most);
  }
  std::optional<std::uint64_t> size(std::string_view key) const override { return store_->size(at(key)); }
  std::vector<Entry> list(std::string_view prefix) const override { return store_->list(folder(prefix)); }
  void put(std::string_view key, std::span<const ByteView> parts) override { store_->put(at(key), parts); }
  std::unique_ptr<Upload> begin(std::string_view key) override { return store_->begin(at(key)); }
  std::unique_ptr<Scratch> scratch() override { return store_->scratch(); }
  void remove(std::string_view key) override { store_->remove(at(key)); }
  void make_folder(std::string_view key) override { store_->make_folder(at(key)); }
  void sync_folder(std::string_view prefix) override { store_->sync_folder(folder(prefix)); }
  std::string describe(std::string_view key) const override { return store_->describe(folder(key)); }

 private:
  std::string at(std::string_view key) const {
    check_key(key);
    return join(prefix_, key);
  }
  std::string folder(std::string_view key) const { return key.empty() ? prefix_ : at(key); }
  std::shared_ptr<Store> store_;
  std::string prefix_;
};

}  // namespace

std::shared_ptr<Store> sub_store(std::shared_ptr<Store> store, std::string prefix) {
  check_key(prefix);
  return std::make_shared<SubStore>(std::move(store), std::move(prefix));
}

std::shared_ptr<Store> open_store(const std::string& uri, const StoreOptions& options) {
  constexpr std::string_view kFile = "file://";
  constexpr std::string_view kMemory = "mem://";
  if (uri.starts_with(kMemory)) return open_memory_store(uri.substr(kMemory.size()));
  if (uri.starts_with(kFile)) return open_file_store(uri.substr(kFile.size()), options);
  if (const std::size_t scheme = uri.find("://"); scheme != std::string::npos && uri.find('/') > scheme)
    fail(ErrorKind::unsupported, "'{}': only plain paths, file:// and mem:// can be opened", uri);
  return open_file_store(uri, options);
}

}  // namespace tegula
