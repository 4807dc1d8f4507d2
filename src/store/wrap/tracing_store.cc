#include "store/wrap/tracing_store.h"

#include <fmt/format.h>

#include "store/adjacent_ranges.h"
#include "store/wrap/wrapped_store.h"

namespace tegula {

namespace {

class TracingStore final : public WrappedStore {
 public:
  TracingStore(std::shared_ptr<Store> store, std::function<void(std::string_view)> sink)
      : WrappedStore(std::move(store)), sink_(std::move(sink)) {}

  std::optional<Bytes> get(std::string_view key) const override {
    auto bytes = store_->get(key);
    sink_(bytes ? fmt::format("read {} {} bytes", key, bytes->size()) : fmt::format("read {} absent", key));
    return bytes;
  }
  void get(std::span<RangeRead> reads) const override {
    store_->get(reads);
    for (std::size_t i = 0; i < reads.size();) {
      const RangeRead& read = reads[i];
      std::uint64_t size = 0;
      for (const std::size_t end = adjacent_end(reads, i); i < end; ++i) size += reads[i].into.size();
      sink_(fmt::format("read {} {}+{}{}", read.key, read.offset, size, read.found ? "" : " absent"));
    }
  }
  std::optional<Tail> tail(std::string_view key, std::uint64_t most) const override {
    auto tail = store_->tail(key, most);
    sink_(tail ? fmt::format("read {} {}+{}", key, tail->size - tail->bytes.size(), tail->bytes.size())
               : fmt::format("read {} absent", key));
    return tail;
  }
  std::optional<std::uint64_t> size(std::string_view key) const override {
    const auto size = store_->size(key);
    sink_(size ? fmt::format("size {} {}", key, *size) : fmt::format("size {} absent", key));
    return size;
  }
  std::vector<Entry> list(std::string_view prefix) const override {
    auto entries = store_->list(prefix);
    sink_(fmt::format("list {} {} entries", prefix.empty() ? "." : prefix, entries.size()));
    return entries;
  }
  void put(std::string_view key, std::span<const ByteView> parts) override {
    store_->put(key, parts);
    sink_(fmt::format("write {} {} bytes", key, total(parts)));
  }
  std::unique_ptr<Upload> begin(std::string_view key) override {
    return std::make_unique<WatchedUpload>(store_->begin(key), [this, name = std::string(key)](std::uint64_t bytes) {
      sink_(fmt::format("write {} {} bytes", name, bytes));
    });
  }
  void remove(std::string_view key) override {
    store_->remove(key);
    sink_(fmt::format("remove {}", key));
  }

 private:
  std::function<void(std::string_view)> sink_;
};

}  // namespace

std::shared_ptr<Store> tracing_store(std::shared_ptr<Store> store, std::function<void(std::string_view)> sink) {
  return std::make_shared<TracingStore>(std::move(store), std::move(sink));
}

}  // namespace tegula
