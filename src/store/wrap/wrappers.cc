#include "store/wrap/wrappers.h"

#include "base/fail.h"
#include "store/adjacent_ranges.h"

namespace tegula {

namespace {

// Passes everything on; wrappers override what concerns them.
class Wrapper : public Store {
 public:
  explicit Wrapper(std::shared_ptr<Store> store) : store_(std::move(store)) {}
  std::optional<Bytes> get(std::string_view key) const override { return store_->get(key); }
  void get(std::span<RangeRead> reads) const override { store_->get(reads); }
  std::optional<Tail> tail(std::string_view key, std::uint64_t most) const override { return store_->tail(key, most); }
  std::optional<std::uint64_t> size(std::string_view key) const override { return store_->size(key); }
  std::vector<Entry> list(std::string_view prefix) const override { return store_->list(prefix); }
  void put(std::string_view key, std::span<const ByteView> parts) override { store_->put(key, parts); }
  std::unique_ptr<Upload> begin(std::string_view key) override { return store_->begin(key); }
  std::unique_ptr<Scratch> scratch() override { return store_->scratch(); }
  void remove(std::string_view key) override { store_->remove(key); }
  void make_folder(std::string_view key) override { store_->make_folder(key); }
  void sync_folder(std::string_view prefix) override { store_->sync_folder(prefix); }
  std::string describe(std::string_view key) const override { return store_->describe(key); }

 protected:
  std::shared_ptr<Store> store_;
};

std::uint64_t total(std::span<const ByteView> parts) {
  std::uint64_t n = 0;
  for (const ByteView part : parts) n += part.size();
  return n;
}

// Reports the bytes of an upload when it is committed.
class WatchedUpload final : public Upload {
 public:
  WatchedUpload(std::unique_ptr<Upload> inner, std::function<void(std::uint64_t)> committed)
      : inner_(std::move(inner)), committed_(std::move(committed)) {}
  void append(ByteView part) override {
    inner_->append(part);
    bytes_ += part.size();
  }
  void commit() override {
    inner_->commit();
    committed_(bytes_);
  }
  void sync() override { inner_->sync(); }
  void appear() override {
    inner_->appear();
    committed_(bytes_);
  }

 private:
  std::unique_ptr<Upload> inner_;
  std::function<void(std::uint64_t)> committed_;
  std::uint64_t bytes_ = 0;
};

class CountingStore final : public Wrapper {
 public:
  CountingStore(std::shared_ptr<Store> store, std::shared_ptr<StoreCounts> counts)
      : Wrapper(std::move(store)), counts_(std::move(counts)) {}

  std::optional<Bytes> get(std::string_view key) const override {
    auto bytes = store_->get(key);
    ++counts_->reads;
    if (bytes) counts_->bytes_read += bytes->size();
    return bytes;
  }
  void get(std::span<RangeRead> reads) const override {
    store_->get(reads);
    for (std::size_t i = 0; i < reads.size(); i = neighbours_end(reads, i)) ++counts_->reads;
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

class TracingStore final : public Wrapper {
 public:
  TracingStore(std::shared_ptr<Store> store, std::function<void(std::string_view)> sink)
      : Wrapper(std::move(store)), sink_(std::move(sink)) {}

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
      for (const std::size_t end = neighbours_end(reads, i); i < end; ++i) size += reads[i].into.size();
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

class FailingStore final : public Wrapper {
 public:
  FailingStore(std::shared_ptr<Store> store, std::shared_ptr<FaultPlan> plan)
      : Wrapper(std::move(store)), plan_(std::move(plan)) {}

  void put(std::string_view key, std::span<const ByteView> parts) override {
    change(*plan_, key, [&] { store_->put(key, parts); });
  }
  std::unique_ptr<Upload> begin(std::string_view key) override {
    return std::make_unique<FailingUpload>(store_->begin(key), plan_, std::string(key));
  }
  void remove(std::string_view key) override {
    change(*plan_, key, [&] { store_->remove(key); });
  }
  void make_folder(std::string_view key) override {
    change(*plan_, key, [&] { store_->make_folder(key); });
  }

 private:
  template <class F>
  static void change(FaultPlan& plan, std::string_view key, F act) {
    const std::uint64_t number = plan.changes++;
    if (number < plan.at || (number == plan.at && plan.done)) act();
    if (number >= plan.at) fail(ErrorKind::io, "injected fault at change {} ('{}')", number, key);
  }

  class FailingUpload final : public Upload {
   public:
    FailingUpload(std::unique_ptr<Upload> inner, std::shared_ptr<FaultPlan> plan, std::string key)
        : inner_(std::move(inner)), plan_(std::move(plan)), key_(std::move(key)) {}
    void append(ByteView part) override { inner_->append(part); }
    void commit() override {
      change(*plan_, key_, [&] { inner_->commit(); });
    }
    void sync() override { inner_->sync(); }
    void appear() override {
      change(*plan_, key_, [&] { inner_->appear(); });
    }

   private:
    std::unique_ptr<Upload> inner_;
    std::shared_ptr<FaultPlan> plan_;
    std::string key_;
  };

  std::shared_ptr<FaultPlan> plan_;
};

}  // namespace

std::shared_ptr<Store> counting_store(std::shared_ptr<Store> store, std::shared_ptr<StoreCounts> counts) {
  return std::make_shared<CountingStore>(std::move(store), std::move(counts));
}
std::shared_ptr<Store> tracing_store(std::shared_ptr<Store> store, std::function<void(std::string_view)> sink) {
  return std::make_shared<TracingStore>(std::move(store), std::move(sink));
}
std::shared_ptr<Store> failing_store(std::shared_ptr<Store> store, std::shared_ptr<FaultPlan> plan) {
  return std::make_shared<FailingStore>(std::move(store), std::move(plan));
}

}  // namespace tegula
