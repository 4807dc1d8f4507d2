#include "store/wrap/forgetting_store.h"

#include <algorithm>

#include "store/wrap/wrapped_store.h"

namespace tegula {

namespace {

std::string_view folder_with(std::string_view key) {
  const std::size_t slash = key.rfind('/');
  return slash == std::string_view::npos ? std::string_view{} : key.substr(0, slash);
}

bool is_folder(const Store& store, std::string_view key) {
  const std::vector<Entry> entries = store.list(folder_with(key));
  const std::string_view name = key.substr(key.rfind('/') + 1);
  return std::ranges::any_of(entries, [&](const Entry& entry) { return entry.folder && entry.name == name; });
}

}  // namespace

void UnsyncedChanges::remember(const Store& store, std::string_view key, Change change) {
  const std::lock_guard lock(mutex_);
  const auto found = before_.find(key);
  if (found != before_.end()) {
    found->second.torn = change == Change::torn;
    return;
  }
  Before before;
  before.torn = change == Change::torn;
  // Stores that have no empty folders lose one with its last file.
  const std::string below = std::string(key) + '/';
  const auto inside = before_.lower_bound(below);
  before.folder = is_folder(store, key) || (inside != before_.end() && inside->first.starts_with(below));
  if (!before.folder) before.file = store.get(key);
  if (change == Change::removal && !before.folder && !before.file) return;
  before_.emplace(std::string(key), std::move(before));
}

void UnsyncedChanges::forget(std::string_view key) {
  const std::lock_guard lock(mutex_);
  if (const auto found = before_.find(key); found != before_.end()) before_.erase(found);
}

void UnsyncedChanges::forget_folder(std::string_view folder) {
  const std::lock_guard lock(mutex_);
  // What was in a folder whose removal is durable cannot come back.
  std::vector<std::string> gone;
  for (const auto& [key, before] : before_)
    if (folder_with(key) == folder && before.folder) gone.push_back(key + '/');
  std::erase_if(before_, [&](const auto& change) {
    return folder_with(change.first) == folder ||
           std::ranges::any_of(gone, [&](const std::string& below) { return change.first.starts_with(below); });
  });
}

std::size_t UnsyncedChanges::count() const {
  const std::lock_guard lock(mutex_);
  return before_.size();
}

void UnsyncedChanges::cut_power(Store& store, const std::function<bool(std::string_view key)>& lost) {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, before] : before_) {
    if (!lost(key)) {
      if (before.torn) store.put(key, ByteView());
    } else if (before.folder) {
      store.make_folder(key);
    } else if (before.file) {
      store.put(key, *before.file);
    } else if (store.has(key)) {
      store.remove(key);
    }
  }
  before_.clear();
}

class ForgettingStore final : public WrappedStore {
 public:
  ForgettingStore(std::shared_ptr<Store> store, std::shared_ptr<UnsyncedChanges> changes)
      : WrappedStore(std::move(store)), changes_(std::move(changes)) {}

  void put(std::string_view key, std::span<const ByteView> parts) override {
    store_->put(key, parts);
    changes_->forget(key);
  }
  bool put_if(std::string_view key, std::span<const ByteView> parts, const std::string& state) override {
    const bool written = store_->put_if(key, parts, state);
    if (written) changes_->forget(key);
    return written;
  }
  std::unique_ptr<Upload> begin(std::string_view key) override {
    return std::make_unique<ForgettingUpload>(store_, changes_, key);
  }
  using WrappedStore::remove;
  void remove(std::string_view key) override {
    changes_->remember(*store_, key, UnsyncedChanges::Change::removal);
    store_->remove(key);
  }
  void sync_folder(std::string_view prefix) override {
    store_->sync_folder(prefix);
    changes_->forget_folder(prefix);
  }

 private:
  class ForgettingUpload final : public Upload {
   public:
    ForgettingUpload(std::shared_ptr<Store> store, std::shared_ptr<UnsyncedChanges> changes, std::string_view key)
        : store_(std::move(store)), changes_(std::move(changes)), key_(key), inner_(store_->begin(key)) {}
    void append(ByteView part) override { inner_->append(part); }
    void commit() override {
      inner_->commit();
      changes_->forget(key_);
    }
    void sync() override {
      inner_->sync();
      synced_ = true;
    }
    void appear() override {
      remember();
      inner_->appear();
    }
    bool appear_if(const std::string& state) override {
      if (store_->get_stated(key_).state != state) return false;
      remember();
      return inner_->appear_if(state);
    }

   private:
    void remember() {
      changes_->remember(*store_, key_, synced_ ? UnsyncedChanges::Change::name : UnsyncedChanges::Change::torn);
    }

    std::shared_ptr<Store> store_;
    std::shared_ptr<UnsyncedChanges> changes_;
    std::string key_;
    std::unique_ptr<Upload> inner_;
    bool synced_ = false;
  };

  std::shared_ptr<UnsyncedChanges> changes_;
};

std::shared_ptr<Store> forgetting_store(std::shared_ptr<Store> store, std::shared_ptr<UnsyncedChanges> changes) {
  return std::make_shared<ForgettingStore>(std::move(store), std::move(changes));
}

}  // namespace tegula
