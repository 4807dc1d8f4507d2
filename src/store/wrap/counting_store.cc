#include "store/wrap/counting_store.h"

#include "store/adjacent_ranges.h"
#include "store/folder_locks.h"
#include "store/wrap/wrapped_store.h"

namespace tegula {

namespace {

class UnderWay {
 public:
  explicit UnderWay(StoreCounts& counts) : counts_(counts) {
    const std::uint64_t now = ++counts_.puts_under_way;
    for (std::uint64_t most = counts_.most_at_once;
         now > most && !counts_.most_at_once.compare_exchange_weak(most, now);) {
    }
  }
  ~UnderWay() { --counts_.puts_under_way; }
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;

 private:
  StoreCounts& counts_;
};

class CountingStore final : public WrappedStore, public FolderLocks {
 public:
  CountingStore(std::shared_ptr<Store> store, std::shared_ptr<StoreCounts> counts)
      : WrappedStore(std::move(store)), counts_(std::move(counts)) {}

  std::optional<Bytes> get(std::string_view key) const override {
    auto bytes = store_->get(key);
    ++counts_->batches;
    ++counts_->reads;
    if (bytes) counts_->bytes_read += bytes->size();
    return bytes;
  }
  void get(std::span<RangeRead> reads) const override {
    count(reads);
    store_->get(reads);
    for (const RangeRead& read : reads)
      if (read.found) counts_->bytes_read += read.into.size();
  }
  void fetch(std::span<RangeRead> reads, const std::function<void(std::size_t)>& arrived) const override {
    count(reads);
    store_->fetch(reads, [&](std::size_t i) {
      if (reads[i].found) counts_->bytes_read += reads[i].into.size();
      arrived(i);
    });
  }
  void get(std::span<FileRead> reads) const override {
    ++counts_->batches;
    counts_->reads += reads.size();
    store_->get(reads);
    for (const FileRead& read : reads)
      if (read.found) counts_->bytes_read += read.found->bytes.size();
  }
  std::optional<Tail> tail(std::string_view key, std::uint64_t most) const override {
    auto tail = store_->tail(key, most);
    ++counts_->batches;
    ++counts_->reads;
    if (tail) counts_->bytes_read += tail->bytes.size();
    return tail;
  }
  std::optional<std::uint64_t> size(std::string_view key) const override {
    ++counts_->batches;
    ++counts_->sizes;
    return store_->size(key);
  }
  std::vector<Entry> list(std::string_view prefix) const override {
    ++counts_->batches;
    ++counts_->lists;
    return store_->list(prefix);
  }
  Listing list_all(std::string_view prefix, std::size_t most) const override {
    ++counts_->batches;
    Listing listing = store_->list_all(prefix, most);
    counts_->lists += 1 + (listing.files.empty() ? 0 : (listing.files.size() - 1) / kPage);
    return listing;
  }
  StatedFile get_stated(std::string_view key) const override {
    ++counts_->batches;
    ++counts_->reads;
    StatedFile file = store_->get_stated(key);
    if (file.bytes) counts_->bytes_read += file.bytes->size();
    return file;
  }
  std::unique_ptr<FolderHold> hold(std::string_view folder) override { return hold_folder(*store_, folder); }
  void put(std::string_view key, std::span<const ByteView> parts) override {
    ++counts_->batches;
    const UnderWay put(*counts_);
    store_->put(key, parts);
    ++counts_->writes;
    counts_->bytes_written += total(parts);
  }
  bool put_if(std::string_view key, std::span<const ByteView> parts, const std::string& state) override {
    ++counts_->batches;
    ++counts_->writes;
    counts_->bytes_written += total(parts);
    return store_->put_if(key, parts, state);
  }
  std::unique_ptr<Upload> begin(std::string_view key) override {
    const auto count = [counts = counts_](std::uint64_t bytes) {
      ++counts->writes;
      counts->bytes_written += bytes;
    };
    return std::make_unique<WatchedUpload>(store_->begin(key), count,
                                           [counts = counts_] { return std::make_shared<UnderWay>(*counts); });
  }
  void remove(std::string_view key) override {
    ++counts_->batches;
    ++counts_->removes;
    store_->remove(key);
  }
  void remove(std::span<const std::string> keys) override {
    ++counts_->batches;
    counts_->removes += (keys.size() + kPage - 1) / kPage;
    store_->remove(keys);
  }

 private:
  static constexpr std::size_t kPage = 1000;  // keys of one listing or removal
  void count(std::span<const RangeRead> reads) const {
    ++counts_->batches;
    for (std::size_t i = 0; i < reads.size(); i = adjacent_end(reads, i)) ++counts_->reads;
  }
  std::shared_ptr<StoreCounts> counts_;
};

}  // namespace

std::shared_ptr<Store> counting_store(std::shared_ptr<Store> store, std::shared_ptr<StoreCounts> counts) {
  return std::make_shared<CountingStore>(std::move(store), std::move(counts));
}

}  // namespace tegula
