// Keeping others away from a folder of a store.
#pragma once

#include <memory>
#include <string_view>

#include "store/store.h"

namespace tegula {

// What others wait for as long as it lives.
class FolderHold {
 public:
  virtual ~FolderHold() = default;
};

// What stores are that have locks.
class FolderLocks {
 public:
  virtual ~FolderLocks() = default;
  // Waits, but not after a cancellation, until nobody holds this folder, in this process or in another that has the
  // store too, and takes it. put_if() of a file directly in the folder may wait for it as well, also that of its
  // holder. Null where there are no locks after all.
  virtual std::unique_ptr<FolderHold> hold(std::string_view folder) = 0;
};

// Of a store of any kind: null where it has no locks.
inline std::unique_ptr<FolderHold> hold_folder(Store& store, std::string_view folder) {
  auto* const locks = dynamic_cast<FolderLocks*>(&store);
  return locks ? locks->hold(folder) : nullptr;
}

}  // namespace tegula
