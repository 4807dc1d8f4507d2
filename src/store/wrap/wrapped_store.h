// What stores around other stores have in common.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "store/store.h"

namespace tegula {

// Forwards every call; wrappers override what they change or watch.
class WrappedStore : public Store {
 public:
  explicit WrappedStore(std::shared_ptr<Store> store) : store_(std::move(store)) {}
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

// Bytes of all parts together.
inline std::uint64_t total(std::span<const ByteView> parts) {
  std::uint64_t n = 0;
  for (const ByteView part : parts) n += part.size();
  return n;
}

// Forwards an upload and calls `committed` with its size once it has been committed.
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

}  // namespace tegula
