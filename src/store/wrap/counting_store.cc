#include "store/wrap/counting_store.h"

#include "store/adjacent_ranges.h"
#include "store/wrap/wrapped_store.h"

namespace tegula {

namespace {

class CountingStore final : public WrappedStore {
 public:
  CountingStore(std::shared_ptr<Store> store, std::shared_ptr<StoreCounts> counts)
      : WrappedStore(std::move(store)), counts_(std::move(counts)) {}

  std::optional<Bytes> get(std::string_view key) const override {
    auto bytes = store_->get(key);
    ++counts_->reads;
    if (bytes) counts_->bytes_read += bytes->size();
    return bytes;
  }
  void get(std::span<RangeRead> reads) const override {
    store_->get(reads);
    for (std::size_t i = 0; i < reads.size(); i = adjacent_end(reads, i)) ++counts_->reads;
    for (const RangeRead& read : reads)
      if (read.found) counts_->bytes_read += read.into.size();
  }
  std::optional<Tail> tail(std::string_view key, std::uint64_t most) const override {
    auto tail = store_->tail(key, most);
    ++counts_->reads;
    if (tail) counts_->bytes_read += tail->bytes.size();
    return tail;
  }
  std::optional<std::uint64_t> size(std::string_view key) const override {
    ++counts_->sizes;
    return store_->size(key);
  }
  std::vector<Entry> list(std::string_view prefix) const override {
    ++counts_->lists;
    return store_->list(prefix);
  }
  void put(std::string_view key, std::span<const ByteView> parts) override {
    store_->put(key, parts);
    ++counts_->writes;
    counts_->bytes_written += total(parts);
  }
  std::unique_ptr<Upload> begin(std::string_view key) override {
    return std::make_unique<WatchedUpload>(store_->begin(key), [counts = counts_](std::uint64_t bytes) {
      ++counts->writes;
      counts->bytes_written += bytes;
    });
  }
  void remove(std::string_view key) override {
    ++counts_->removes;
    store_->remove(key);
  }

 private:
  std::shared_ptr<StoreCounts> counts_;
};

}  // namespace

std::shared_ptr<Store> counting_store(std::shared_ptr<Store> store, std::shared_ptr<StoreCounts> counts) {
  return std::make_shared<CountingStore>(std::move(store), std::move(counts));
}

}  // namespace tegula
