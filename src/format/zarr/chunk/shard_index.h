// Finding chunks inside of shards without reading whole shards.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "format/zarr/chunk/chunk_store.h"
#include "format/zarr/codec/sharding.h"

namespace tegula::zarr {

// Where a leaf chunk is: the grid coordinates of the file, and the number of the chunk at every level of shards.
struct LeafPath {
  Shape file;
  std::vector<std::uint64_t> numbers;
};
LeafPath leaf_path(const LeafGrid& grid, const Shape& leaf);

// A requested chunk: the index of its path, and where its bytes are in the file; no entry when it is absent.
struct ShardLeaf {
  std::size_t path = 0;
  std::optional<ShardEntry> entry;
};
// Chunks of one file that are read with one request, ordered by offset.
using ShardBatch = std::vector<ShardLeaf>;

// The indexes of the shards that a read touches.
class ShardIndexes {
 public:
  // Reads the indexes that the leaves need, shards in parallel. Throws corrupt.
  ShardIndexes(const Store& store, const ArrayMeta& meta, const LeafGrid& grid, const std::vector<LeafPath>& paths,
               const Work& work);
  // No value when the leaf, or the shard around it, is absent.
  std::optional<ShardEntry> find(const LeafPath& path) const;
  // All paths in batches of about 1 MiB.
  std::vector<ShardBatch> batches(const std::vector<LeafPath>& paths) const;

 private:
  struct Index {
    std::vector<ShardEntry> entries;  // offsets in the file
    std::map<std::uint64_t, Index> inner;
  };
  static void load(const Store& store, const std::string& key, const LeafGrid& grid, std::size_t level,
                   ShardEntry extent, const std::vector<LeafPath>& paths, Index& index);

  std::map<Shape, std::optional<Index>> files_;
};

}  // namespace tegula::zarr
