#include "store/wrap/sub_store.h"

#include <string>
#include <vector>

namespace tegula {

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

}  // namespace tegula
