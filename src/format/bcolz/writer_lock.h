// One writer at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "store/folder_locks.h"
#include "store/store.h"

namespace tegula::bcolz {

// Says in remote stores, which have no locks, who is changing the array. bcolz does not look at it.
inline constexpr std::string_view kWriterFile = "__tegula_writer__";

// While it lives, no other WriterLock of the array does, in this process, in another, or on another machine: by a lock
// of the store, or else by kWriterFile, which only one of several can create. A store with neither (StoreHints) holds
// off nobody, and neither do programs other than tegula.
class WriterLock {
 public:
  enum class Others : std::uint8_t {
    waited_for,  // for `patience`, where they hold the file; then Error(io), which names it
    gone,        // the file is that of a writer that died: it is taken over
  };
  WriterLock(std::shared_ptr<Store> store, Others others,
             std::chrono::milliseconds patience = std::chrono::seconds(10));
  ~WriterLock();
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

 private:
  std::shared_ptr<Store> store_;
  std::unique_ptr<FolderHold> lock_;
  std::string claim_;  // the text of our file; empty: there is none
};

}  // namespace tegula::bcolz
