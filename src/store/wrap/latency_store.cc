#include "store/wrap/latency_store.h"

#include <algorithm>
#include <thread>

#include "base/current_work.h"
#include "base/fail.h"
#include "store/folder_locks.h"
#include "store/wrap/wrapped_store.h"

namespace tegula {

namespace {

class LatencyStore final : public WrappedStore, public FolderLocks {
 public:
  LatencyStore(std::shared_ptr<Store> store, const Latency& latency)
      : WrappedStore(std::move(store)), latency_(latency) {}

  std::optional<Bytes> get(std::string_view key) const override {
    wait();
    return store_->get(key);
  }
  void get(std::span<RangeRead> reads) const override {
    wait(reads.size());
    store_->get(reads);
  }
  void fetch(std::span<RangeRead> reads, const std::function<void(std::size_t)>& arrived) const override {
    for (std::size_t end = reads.size(); end > 0;) {
      const std::size_t begin = end - std::min<std::size_t>(end, latency_.in_flight);
      get(reads.subspan(begin, end - begin));
      while (end > begin) arrived(--end);
    }
  }
  void get(std::span<FileRead> reads) const override {
    wait(reads.size());
    store_->get(reads);
  }
  std::optional<Tail> tail(std::string_view key, std::uint64_t most) const override {
    wait();
    return store_->tail(key, most);
  }
  std::optional<std::uint64_t> size(std::string_view key) const override {
    wait();
    return store_->size(key);
  }
  std::vector<Entry> list(std::string_view prefix) const override {
    refuse_lists();
    wait();
    // There are no empty folders.
    std::vector<Entry> entries = store_->list(prefix);
    std::erase_if(entries, [&](const Entry& entry) {
      return entry.folder && store_->list_all(join(prefix, entry.name), 1).files.empty();
    });
    return entries;
  }
  Listing list_all(std::string_view prefix, std::size_t most) const override {
    refuse_lists();
    wait();
    return store_->list_all(prefix, most);
  }
  StatedFile get_stated(std::string_view key) const override {
    wait();
    return store_->get_stated(key);
  }
  std::unique_ptr<FolderHold> hold(std::string_view folder) override { return hold_folder(*store_, folder); }
  void put(std::string_view key, std::span<const ByteView> parts) override {
    wait();
    store_->put(key, parts);
  }
  bool put_if(std::string_view key, std::span<const ByteView> parts, const std::string& state) override {
    wait();
    return store_->put_if(key, parts, state);
  }
  std::unique_ptr<Upload> begin(std::string_view key) override {
    const auto committing = [this]() -> std::shared_ptr<void> {
      wait();
      return nullptr;
    };
    return std::make_unique<WatchedUpload>(store_->begin(key), [](std::uint64_t) {}, committing);
  }
  void remove(std::string_view key) override {
    wait();
    store_->remove(key);
  }
  void remove(std::span<const std::string> keys) override {
    wait();
    store_->remove(keys);
  }
  void make_folder(std::string_view) override {}
  StoreHints hints() const override {
    StoreHints hints = store_->hints();
    hints.in_flight = latency_.in_flight;
    hints.gap = latency_.gap;
    hints.part = latency_.part;
    hints.lists = latency_.lists;
    hints.renames = false;
    hints.empty_folders = false;
    return hints;
  }

 private:
  void refuse_lists() const {
    if (!latency_.lists) fail(ErrorKind::unsupported, "'{}' cannot be listed", describe(""));
  }
  void wait(std::size_t requests = 1) const {
    constexpr std::chrono::microseconds kStep{10000};  // between two looks whether to go on
    const std::size_t rounds = (requests + latency_.in_flight - 1) / latency_.in_flight;
    for (std::chrono::microseconds left = latency_.round_trip * rounds; left.count() > 0; left -= kStep) {
      CurrentWork::check();
      std::this_thread::sleep_for(std::min(left, kStep));
    }
    CurrentWork::check();
  }
  const Latency latency_;
};

}  // namespace

std::shared_ptr<Store> latency_store(std::shared_ptr<Store> store, const Latency& latency) {
  return std::make_shared<LatencyStore>(std::move(store), latency);
}

}  // namespace tegula
