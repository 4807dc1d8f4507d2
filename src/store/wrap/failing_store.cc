#include "store/wrap/failing_store.h"

#include "base/fail.h"
#include "store/wrap/wrapped_store.h"

namespace tegula {

namespace {

class FailingStore final : public WrappedStore {
 public:
  FailingStore(std::shared_ptr<Store> store, std::shared_ptr<FaultPlan> plan)
      : WrappedStore(std::move(store)), plan_(std::move(plan)) {}

  void put(std::string_view key, std::span<const ByteView> parts) override {
    change(*plan_, key, [&] { store_->put(key, parts); });
  }
  bool put_if(std::string_view key, std::span<const ByteView> parts, const std::string& state) override {
    bool written = false;
    change(*plan_, key, [&] { written = store_->put_if(key, parts, state); });
    return written;
  }
  std::unique_ptr<Upload> begin(std::string_view key) override {
    return std::make_unique<FailingUpload>(store_->begin(key), plan_, std::string(key));
  }
  using WrappedStore::remove;
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
    bool appear_if(const std::string& state) override {
      bool appeared = false;
      change(*plan_, key_, [&] { appeared = inner_->appear_if(state); });
      return appeared;
    }

   private:
    std::unique_ptr<Upload> inner_;
    std::shared_ptr<FaultPlan> plan_;
    std::string key_;
  };

  std::shared_ptr<FaultPlan> plan_;
};

}  // namespace

std::shared_ptr<Store> failing_store(std::shared_ptr<Store> store, std::shared_ptr<FaultPlan> plan) {
  return std::make_shared<FailingStore>(std::move(store), std::move(plan));
}

}  // namespace tegula
