// Cells of sparse arrays that are kept for later requests, all together within a budget.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>

#include "tegula/columns.h"

namespace tegula::serve {

// Thread-safe.
class KeptCells {
 public:
  explicit KeptCells(std::uint64_t most) : most_(most) {}

  std::uint64_t most() const { return most_; }
  // Null when nothing is kept for that owner.
  std::shared_ptr<const Batch> find(const void* owner);
  // What was not asked for the longest goes first. Who holds cells that went still has them.
  void keep(const void* owner, std::shared_ptr<const Batch> cells);
  void forget(const void* owner);

 private:
  struct Kept {
    const void* owner;
    std::shared_ptr<const Batch> cells;
    std::uint64_t bytes;
  };
  const std::uint64_t most_;
  std::mutex mutex_;
  std::list<Kept> kept_;  // the latest first
  std::uint64_t bytes_ = 0;
};

std::uint64_t held_bytes(const Batch& batch);

}  // namespace tegula::serve
