// Chunks of shards that stay in their store: which bytes of which file they are.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "format/zarr/chunk/chunk_store.h"
#include "format/zarr/codec/sharding.h"

namespace tegula::zarr {

// Place of a leaf chunk: the file's place in the grid, and the chunk's number at every level of shards.
struct LeafPath {
  Shape file;
  std::vector<std::uint64_t> numbers;
};
LeafPath leaf_path(const LeafGrid& grid, const Shape& leaf);

// A chunk that is wanted: which of the paths, and where its bytes are; no value when it is absent.
struct ShardLeaf {
  std::size_t path = 0;
  std::optional<ShardEntry> entry;
};
// Chunks of one file that are fetched with one request, by their place in it.
using ShardBatch = std::vector<ShardLeaf>;

// The indexes of the shards that a read touches.
class ShardIndexes {
 public:
  // Reads the indexes that the leaves need, shards in parallel. Throws corrupt.
  ShardIndexes(const Store& store, const ArrayMeta& meta, const LeafGrid& grid, const std::vector<LeafPath>& paths,
               const Work& work);
  // No value when the leaf, or the shard around it, is absent.
  std::optional<ShardEntry> find(const LeafPath& path) const;
  // All paths, none of the batches larger than what one thread should have in hand.
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
