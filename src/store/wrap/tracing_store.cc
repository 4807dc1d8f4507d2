#include "store/wrap/tracing_store.h"

#include <fmt/format.h>

#include "store/adjacent_ranges.h"
#include "store/folder_locks.h"
#include "store/wrap/wrapped_store.h"

namespace tegula {

namespace {

// Traces what is written beside, too.
class TracedReplacement final : public Replacement {
 public:
  TracedReplacement(std::unique_ptr<Replacement> inner, std::function<void(std::string_view)> sink)
      : inner_(std::move(inner)), store_(tracing_store(inner_->store(), std::move(sink))) {}
  const std::shared_ptr<Store>& store() const override { return store_; }
  void clear() override { inner_->clear(); }
  void take_place(const Work& work) override { inner_->take_place(work); }
  void discard() noexcept override { inner_->discard(); }

 private:
  const std::unique_ptr<Replacement> inner_;
  const std::shared_ptr<Store> store_;
};

class TracingStore final : public WrappedStore, public FolderLocks {
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
    trace(reads);
  }
  void fetch(std::span<RangeRead> reads, const std::function<void(std::size_t)>& arrived) const override {
    store_->fetch(reads, arrived);
    trace(reads);
  }
  void get(std::span<FileRead> reads) const override {
    store_->get(reads);
    for (const FileRead& read : reads) trace(read.key, read.found);
  }
  void trace(std::span<const RangeRead> reads) const {
    for (std::size_t i = 0; i < reads.size();) {
      const RangeRead& read = reads[i];
      std::uint64_t size = 0;
      for (const std::size_t end = adjacent_end(reads, i); i < end; ++i) size += reads[i].into.size();
      sink_(fmt::format("read {} {}+{}{}", read.key, read.offset, size, read.found ? "" : " absent"));
    }
  }
  std::optional<Tail> tail(std::string_view key, std::uint64_t most) const override {
    auto tail = store_->tail(key, most);
    trace(key, tail);
    return tail;
  }
  void trace(std::string_view key, const std::optional<Tail>& tail) const {
    sink_(tail ? fmt::format("read {} {}+{}", key, tail->size - tail->bytes.size(), tail->bytes.size())
               : fmt::format("read {} absent", key));
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
  Listing list_all(std::string_view prefix, std::size_t most) const override {
    Listing listing = store_->list_all(prefix, most);
    sink_(fmt::format("list all {} {} files", prefix.empty() ? "." : prefix, listing.files.size()));
    return listing;
  }
  StatedFile get_stated(std::string_view key) const override {
    StatedFile file = store_->get_stated(key);
    sink_(file.bytes ? fmt::format("read {} {} bytes", key, file.bytes->size()) : fmt::format("read {} absent", key));
    return file;
  }
  bool put_if(std::string_view key, std::span<const ByteView> parts, const std::string& state) override {
    const bool written = store_->put_if(key, parts, state);
    sink_(fmt::format("write {} {} bytes{}", key, total(parts), written ? "" : " refused: it has changed"));
    return written;
  }
  std::unique_ptr<FolderHold> hold(std::string_view folder) override { return hold_folder(*store_, folder); }
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
  void remove(std::span<const std::string> keys) override {
    store_->remove(keys);
    for (const std::string& key : keys) sink_(fmt::format("remove {}", key));
  }
  std::optional<FolderOf> around() const override {
    std::optional<FolderOf> folder = store_->around();
    // Keys in it would be taken for those of this store.
    if (folder)
      folder->store = std::make_shared<TracingStore>(
          folder->store, [sink = sink_](std::string_view line) { sink(fmt::format("around: {}", line)); });
    return folder;
  }
  std::unique_ptr<Replacement> replacement() override {
    std::unique_ptr<Replacement> inner = store_->replacement();
    return inner ? std::make_unique<TracedReplacement>(std::move(inner), sink_) : nullptr;
  }
  bool recover() override { return store_->recover(); }

 private:
  std::function<void(std::string_view)> sink_;
};

}  // namespace

std::shared_ptr<Store> tracing_store(std::shared_ptr<Store> store, std::function<void(std::string_view)> sink) {
  return std::make_shared<TracingStore>(std::move(store), std::move(sink));
}

}  // namespace tegula
