// A store that forgets what was not made durable, as a file system does in a power cut.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "store/store.h"

namespace tegula {

// The changes that a power cut may undo: removals, and uploads made to appear, until sync_folder() of their folder.
// What put() and commit() write is durable when they return. Thread-safe.
class UnsyncedChanges {
 public:
  // Undoes in `store` each change for which lost(key) is true; the others survive. An upload that appeared without
  // sync() survives as an empty file.
  void cut_power(Store& store, const std::function<bool(std::string_view key)>& lost);
  std::size_t count() const;

 private:
  friend class ForgettingStore;
  enum class Change : std::uint8_t { removal, name, torn };  // torn: the bytes are not durable either
  struct Before {
    std::optional<Bytes> file;  // none: absent, or a folder
    bool folder = false;
    bool torn = false;  // the new bytes are not durable
  };
  // Remembers what `key` is now, unless an unsynced change of it is remembered already.
  void remember(const Store& store, std::string_view key, Change change);
  void forget(std::string_view key);
  void forget_folder(std::string_view folder);

  mutable std::mutex mutex_;
  std::map<std::string, Before, std::less<>> before_;
};

std::shared_ptr<Store> forgetting_store(std::shared_ptr<Store> store, std::shared_ptr<UnsyncedChanges> changes);

}  // namespace tegula
