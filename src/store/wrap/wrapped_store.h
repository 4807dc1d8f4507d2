// What stores around other stores have in common.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "store/store.h"

namespace tegula {

// Forwards every call; wrappers override what they change or watch. Removals of several files become removals of one,
// so that a wrapper sees each.
class WrappedStore : public Store {
 public:
  explicit WrappedStore(std::shared_ptr<Store> store) : store_(std::move(store)) {}
  std::optional<Bytes> get(std::string_view key) const override { return store_->get(key); }
  void get(std::span<RangeRead> reads) const override { store_->get(reads); }
  void fetch(std::span<RangeRead> reads, const std::function<void(std::size_t)>& arrived) const override {
    store_->fetch(reads, arrived);
  }
  void get(std::span<FileRead> reads) const override { store_->get(reads); }
  std::optional<Tail> tail(std::string_view key, std::uint64_t most) const override { return store_->tail(key, most); }
  std::optional<std::uint64_t> size(std::string_view key) const override { return store_->size(key); }
  std::vector<Entry> list(std::string_view prefix) const override { return store_->list(prefix); }
  Listing list_all(std::string_view prefix, std::size_t most) const override { return store_->list_all(prefix, most); }
  StatedFile get_stated(std::string_view key) const override { return store_->get_stated(key); }
  void put(std::string_view key, std::span<const ByteView> parts) override { store_->put(key, parts); }
  bool put_if(std::string_view key, std::span<const ByteView> parts, const std::string& state) override {
    return store_->put_if(key, parts, state);
  }
  std::unique_ptr<Upload> begin(std::string_view key) override { return store_->begin(key); }
  std::unique_ptr<Scratch> scratch() override { return store_->scratch(); }
  using Store::remove;
  void remove(std::string_view key) override { store_->remove(key); }
  void make_folder(std::string_view key) override { store_->make_folder(key); }
  void sync_folder(std::string_view prefix) override { store_->sync_folder(prefix); }
  StoreHints hints() const override { return store_->hints(); }
  std::string describe(std::string_view key) const override { return store_->describe(key); }
  std::string uri(std::string_view key) const override { return store_->uri(key); }
  std::string identity() const override { return store_->identity(); }

 protected:
  std::shared_ptr<Store> store_;
};

// Bytes of all parts together.
inline std::uint64_t total(std::span<const ByteView> parts) {
  std::uint64_t n = 0;
  for (const ByteView part : parts) n += part.size();
  return n;
}

// Forwards an upload and calls `committed` with its size once it has been committed. What `committing` returns is held
// while that happens.
class WatchedUpload final : public Upload {
 public:
  WatchedUpload(
      std::unique_ptr<Upload> inner, std::function<void(std::uint64_t)> committed,
      std::function<std::shared_ptr<void>()> committing = [] { return nullptr; })
      : inner_(std::move(inner)), committed_(std::move(committed)), committing_(std::move(committing)) {}
  void append(ByteView part) override {
    inner_->append(part);
    bytes_ += part.size();
  }
  void commit() override {
    const std::shared_ptr<void> held = committing_();
    inner_->commit();
    committed_(bytes_);
  }
  void sync() override { inner_->sync(); }
  void appear() override {
    const std::shared_ptr<void> held = committing_();
    inner_->appear();
    committed_(bytes_);
  }
  bool appear_if(const std::string& state) override {
    const std::shared_ptr<void> held = committing_();
    const bool appeared = inner_->appear_if(state);
    if (appeared) committed_(bytes_);
    return appeared;
  }

 private:
  std::unique_ptr<Upload> inner_;
  std::function<void(std::uint64_t)> committed_;
  std::function<std::shared_ptr<void>()> committing_;
  std::uint64_t bytes_ = 0;
};

}  // namespace tegula
