// Locks that all handles of an array in a process share.
#pragma once

#include <cstdint>
#include <mutex>
#include <shared_mutex>

#include "format/zarr/codec/codec_chain.h"
#include "store/store.h"

namespace tegula::zarr {

// The process has one table of locks; a chunk uses the lock that a hash of the array's folder and the chunk's grid
// coordinates selects. A change locks its chunk exclusively. A read through shard indexes shares the locks of all
// shards it touches, taken in the order of their numbers, so that no shard is replaced between reading its index and
// its chunks. Cheap to copy.
class ChunkLocks {
 public:
  // Stores of the same folder get the same locks, however its path is spelled.
  explicit ChunkLocks(const Store& store);

  std::size_t number(const Shape& chunk) const;
  static std::shared_mutex& at(std::size_t number);
  std::shared_mutex& of(const Shape& chunk) const { return at(number(chunk)); }
  // Held while metadata changes; taken before locks of chunks.
  std::mutex& document() const;

 private:
  std::uint64_t seed_;
};

}  // namespace tegula::zarr
