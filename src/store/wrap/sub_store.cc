#include "store/wrap/sub_store.h"

#include <string>
#include <vector>

#include "store/folder_locks.h"

namespace tegula {

namespace {

class SubStore final : public Store, public FolderLocks {
 public:
  SubStore(std::shared_ptr<Store> store, std::string prefix) : store_(std::move(store)), prefix_(std::move(prefix)) {}

  std::optional<Bytes> get(std::string_view key) const override { return store_->get(at(key)); }
  void get(std::span<RangeRead> reads) const override {
    std::vector<std::string> keys;
    std::vector<RangeRead> inner = translated(reads, keys);
    store_->get(inner);
    for (std::size_t i = 0; i < reads.size(); ++i) reads[i].found = inner[i].found;
  }
  void fetch(std::span<RangeRead> reads, const std::function<void(std::size_t)>& arrived) const override {
    std::vector<std::string> keys;
    std::vector<RangeRead> inner = translated(reads, keys);
    store_->fetch(inner, [&](std::size_t i) {
      reads[i].found = inner[i].found;
      arrived(i);
    });
  }
  void get(std::span<FileRead> reads) const override {
    std::vector<std::string> keys;
    std::vector<FileRead> inner = translated(reads, keys);
    store_->get(inner);
    for (std::size_t i = 0; i < reads.size(); ++i) {
      reads[i].found = std::move(inner[i].found);
      reads[i].failure = std::move(inner[i].failure);
    }
  }
  std::optional<Tail> tail(std::string_view key, std::uint64_t most) const override {
    return store_->tail(at(key), most);
  }
  std::optional<std::uint64_t> size(std::string_view key) const override { return store_->size(at(key)); }
  std::vector<Entry> list(std::string_view prefix) const override { return store_->list(folder(prefix)); }
  Listing list_all(std::string_view prefix, std::size_t most) const override {
    Listing listing = store_->list_all(folder(prefix), most);
    for (ListedFile& file : listing.files) file.key.erase(0, prefix_.size() + 1);
    return listing;
  }
  StatedFile get_stated(std::string_view key) const override { return store_->get_stated(at(key)); }
  void put(std::string_view key, std::span<const ByteView> parts) override { store_->put(at(key), parts); }
  bool put_if(std::string_view key, std::span<const ByteView> parts, const std::string& state) override {
    return store_->put_if(at(key), parts, state);
  }
  std::unique_ptr<FolderHold> hold(std::string_view key) override { return hold_folder(*store_, folder(key)); }
  std::unique_ptr<Upload> begin(std::string_view key) override { return store_->begin(at(key)); }
  std::unique_ptr<Scratch> scratch() override { return store_->scratch(); }
  void remove(std::string_view key) override { store_->remove(at(key)); }
  void remove(std::span<const std::string> keys) override {
    std::vector<std::string> inner;
    for (const std::string& key : keys) inner.push_back(at(key));
    store_->remove(inner);
  }
  void remove_tree(std::string_view prefix) override { store_->remove_tree(folder(prefix)); }
  void make_folder(std::string_view key) override { store_->make_folder(at(key)); }
  void sync_folder(std::string_view prefix) override { store_->sync_folder(folder(prefix)); }
  StoreHints hints() const override { return store_->hints(); }
  std::string describe(std::string_view key) const override { return store_->describe(folder(key)); }
  std::string uri(std::string_view key) const override { return store_->uri(folder(key)); }
  std::string identity() const override { return join(store_->identity(), prefix_); }
  std::optional<FolderOf> around() const override {
    const std::size_t slash = prefix_.rfind('/');
    if (slash == std::string::npos) return FolderOf{store_, prefix_};
    return FolderOf{std::make_shared<SubStore>(store_, prefix_.substr(0, slash)), prefix_.substr(slash + 1)};
  }

 private:
  // The reads with keys of the other store, which `keys` holds.
  template <class Read>
  std::vector<Read> translated(std::span<Read> reads, std::vector<std::string>& keys) const {
    std::vector<Read> inner(reads.begin(), reads.end());
    keys.reserve(reads.size());
    for (std::size_t i = 0; i < reads.size(); ++i)
      inner[i].key = i > 0 && reads[i].key == reads[i - 1].key ? inner[i - 1].key : keys.emplace_back(at(reads[i].key));
    return inner;
  }
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

}  // namespace tegula
