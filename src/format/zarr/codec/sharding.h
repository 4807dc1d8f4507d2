// Shards: files of many chunks, with an index of (offset, length) pairs.
#pragma once

#include "format/zarr/codec/codec_chain.h"

namespace tegula::zarr {

struct ShardEntry {
  static constexpr std::uint64_t kMissing = UINT64_MAX;
  std::uint64_t offset = kMissing, length = kMissing;
  bool missing() const { return offset == kMissing && length == kMissing; }
};

// Chunks along each axis. Throws corrupt unless the inner shape divides the outer one.
Shape shard_grid(const Sharding& sharding, const Shape& shape);
// Bytes of the index of a shard of `shape`.
std::uint64_t shard_index_size(const Sharding& sharding, const Shape& shape);
// Entries in C order of the grid, all inside a shard of `shard_size` bytes. Throws corrupt.
std::vector<ShardEntry> decode_shard_index(const Sharding& sharding, const Shape& shape, ByteView encoded,
                                           std::uint64_t shard_size);

// Decode and encode whole shards.
void decode_shard(const Sharding& sharding, ByteView shard, const Shape& shape, const CellType& cell, MutableBytes out);
Bytes encode_shard(const Sharding& sharding, ByteView cells, const Shape& shape, const CellType& cell);
VariableCells decode_variable_shard(const Sharding& sharding, ByteView shard, const Shape& shape, const CellType& cell);
Bytes encode_variable_shard(const Sharding& sharding, const VariableCells& items, const Shape& shape,
                            const CellType& cell);

}  // namespace tegula::zarr
