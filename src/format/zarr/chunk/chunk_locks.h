// Locks that all handles of an array in a process share.
#pragma once

#include <cstdint>
#include <mutex>
#include <shared_mutex>

#include "format/zarr/codec/codec_chain.h"
#include "store/store.h"

namespace tegula::zarr {

// A view of the process's one table of locks by the place of the array. Chunks share locks by the place of their file
// in the grid. A change holds one of them alone; reads through a shard's index hold those of all shards that they
// touch, in the order of their numbers, so that no shard is replaced between its index and its chunks. Cheap to copy.
class ChunkLocks {
 public:
  // Stores that lead to the same folder get the same locks, whatever the spelling of its path.
  explicit ChunkLocks(const Store& store);

  std::size_t number(const Shape& chunk) const;
  static std::shared_mutex& at(std::size_t number);
  std::shared_mutex& of(const Shape& chunk) const { return at(number(chunk)); }
  // Held by changes of the metadata, before locks of chunks.
  std::mutex& document() const;

 private:
  std::uint64_t seed_;
};

}  // namespace tegula::zarr
