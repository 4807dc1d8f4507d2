#include "store/wrap/faulty_store.h"

#include "base/fail.h"
#include "store/wrap/wrapped_store.h"

namespace tegula {

namespace {

// Does the next call, which the fault may meet, fail?
bool strikes(CallFault& plan) {
  const std::uint64_t number = plan.calls++;
  if (plan.lasting ? number < plan.at : number != plan.at) return false;
  ++plan.failed;
  return true;
}

bool in_the_file(StoreFault fault) { return fault == StoreFault::cut_short || fault == StoreFault::vanished; }

[[noreturn]] void refuse(StoreFault fault, const std::string& where) {
  if (fault == StoreFault::denied) fail(ErrorKind::permission, "{}: injected fault, access {}", where, name(fault));
  if (fault == StoreFault::cut_short)
    fail(ErrorKind::corrupt, "{}: injected fault, the file is {}", where, name(fault));
  fail(ErrorKind::io, "{}: injected fault, {}", where, name(fault));
}

void before_change(CallFault& plan, const std::string& where) {
  if (plan.fault != StoreFault::no_descriptors && plan.fault != StoreFault::no_space) return;
  if (strikes(plan)) refuse(plan.fault, where);
}

class FaultyUpload final : public Upload {
 public:
  FaultyUpload(std::unique_ptr<Upload> inner, std::shared_ptr<CallFault> plan, std::string where)
      : inner_(std::move(inner)), plan_(std::move(plan)), where_(std::move(where)) {}
  void append(ByteView part) override {
    step([&] { inner_->append(part); });
  }
  void commit() override {
    step([&] { inner_->commit(); });
  }
  void sync() override {
    step([&] { inner_->sync(); });
  }
  void appear() override {
    step([&] { inner_->appear(); });
  }
  bool appear_if(const std::string& state) override {
    bool appeared = false;
    step([&] { appeared = inner_->appear_if(state); });
    return appeared;
  }

 private:
  template <class F>
  void step(F act) {
    before_change(*plan_, where_);
    act();
  }

  std::unique_ptr<Upload> inner_;
  std::shared_ptr<CallFault> plan_;
  std::string where_;
};

class FaultyScratch final : public Scratch {
 public:
  FaultyScratch(std::unique_ptr<Scratch> inner, std::shared_ptr<CallFault> plan)
      : inner_(std::move(inner)), plan_(std::move(plan)) {}
  void write(std::uint64_t offset, ByteView bytes) override {
    before_change(*plan_, "scratch space");
    inner_->write(offset, bytes);
  }
  void read(std::uint64_t offset, MutableBytes into) const override {
    if (plan_->fault == StoreFault::broken && strikes(*plan_)) refuse(plan_->fault, "scratch space");
    inner_->read(offset, into);
  }

 private:
  std::unique_ptr<Scratch> inner_;
  std::shared_ptr<CallFault> plan_;
};

class FaultyStore final : public WrappedStore {
 public:
  FaultyStore(std::shared_ptr<Store> store, std::shared_ptr<CallFault> plan)
      : WrappedStore(std::move(store)), plan_(std::move(plan)) {}

  std::optional<Bytes> get(std::string_view key) const override {
    if (!met(key)) return store_->get(key);
    std::optional<Bytes> file = store_->get(key);
    if (!file || plan_->fault == StoreFault::vanished) return std::nullopt;
    file->resize(file->size() / 2);
    return file;
  }
  void get(std::span<RangeRead> reads) const override {
    for (RangeRead& read : reads) {
      if (!met(read.key)) {
        store_->get(std::span(&read, 1));
        continue;
      }
      read.found = false;
      if (plan_->fault == StoreFault::vanished) continue;
      if (const std::optional<std::uint64_t> size = store_->size(read.key)) {
        if (read.offset + read.into.size() > *size / 2) refuse(plan_->fault, describe(read.key));
        store_->get(std::span(&read, 1));
      }
    }
  }
  // Batches become single calls, so that each of them may fail.
  void fetch(std::span<RangeRead> reads, const std::function<void(std::size_t)>& arrived) const override {
    Store::fetch(reads, arrived);
  }
  void get(std::span<FileRead> reads) const override { Store::get(reads); }
  StatedFile get_stated(std::string_view key) const override {
    if (!met(key)) return store_->get_stated(key);
    StatedFile file = store_->get_stated(key);
    if (plan_->fault == StoreFault::vanished) return {};
    if (file.bytes) file.bytes->resize(file.bytes->size() / 2);
    return file;
  }
  std::optional<Tail> tail(std::string_view key, std::uint64_t most) const override {
    if (!met(key)) return store_->tail(key, most);
    const std::optional<std::uint64_t> size = store_->size(key);
    if (!size || plan_->fault == StoreFault::vanished) return std::nullopt;
    Tail tail;
    tail.size = *size / 2;
    const std::uint64_t length = std::min(most, tail.size);
    tail.bytes = store_->Store::get(key, tail.size - length, length).value();
    return tail;
  }
  std::optional<std::uint64_t> size(std::string_view key) const override {
    if (!met(key)) return store_->size(key);
    const std::optional<std::uint64_t> size = store_->size(key);
    if (!size || plan_->fault == StoreFault::vanished) return std::nullopt;
    return *size / 2;
  }
  std::vector<Entry> list(std::string_view prefix) const override {
    before_list(prefix);
    return store_->list(prefix);
  }
  Listing list_all(std::string_view prefix, std::size_t most) const override {
    before_list(prefix);
    return store_->list_all(prefix, most);
  }

  void put(std::string_view key, std::span<const ByteView> parts) override {
    before_change(*plan_, describe(key));
    store_->put(key, parts);
  }
  bool put_if(std::string_view key, std::span<const ByteView> parts, const std::string& state) override {
    before_change(*plan_, describe(key));
    return store_->put_if(key, parts, state);
  }
  std::unique_ptr<Upload> begin(std::string_view key) override {
    before_change(*plan_, describe(key));
    return std::make_unique<FaultyUpload>(store_->begin(key), plan_, describe(key));
  }
  std::unique_ptr<Scratch> scratch() override {
    before_change(*plan_, "scratch space");
    return std::make_unique<FaultyScratch>(store_->scratch(), plan_);
  }
  using WrappedStore::remove;
  void remove(std::string_view key) override {
    if (plan_->fault == StoreFault::no_descriptors) before_change(*plan_, describe(key));
    store_->remove(key);
  }
  void make_folder(std::string_view key) override {
    before_change(*plan_, describe(key));
    store_->make_folder(key);
  }

 private:
  void before_list(std::string_view prefix) const {
    if (plan_->fault != StoreFault::no_space && !in_the_file(plan_->fault) && strikes(*plan_))
      refuse(plan_->fault, describe(prefix));
  }
  // Is this read the one that fails? True for a fault in the file; throws for the others.
  bool met(std::string_view key) const {
    if (plan_->fault == StoreFault::no_space || !strikes(*plan_)) return false;
    if (!in_the_file(plan_->fault)) refuse(plan_->fault, describe(key));
    return true;
  }

  std::shared_ptr<CallFault> plan_;
};

}  // namespace

std::string_view name(StoreFault fault) noexcept {
  switch (fault) {
    case StoreFault::denied:
      return "denied";
    case StoreFault::broken:
      return "broken";
    case StoreFault::no_descriptors:
      return "too many open files";
    case StoreFault::no_space:
      return "no space left";
    case StoreFault::cut_short:
      return "cut short";
    case StoreFault::vanished:
      return "vanished";
  }
  return "";
}

std::shared_ptr<Store> faulty_store(std::shared_ptr<Store> store, std::shared_ptr<CallFault> plan) {
  return std::make_shared<FaultyStore>(std::move(store), std::move(plan));
}

}  // namespace tegula
