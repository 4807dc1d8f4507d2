// Finding chunks inside of shards without reading whole shards.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "format/zarr/chunk/chunk_store.h"
#include "format/zarr/codec/sharding.h"

namespace tegula::zarr {

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
  // Is this the state of the shard that its index was read from? Always, where the store does not tell states.
  bool is_state(const Shape& file, const std::string& state) const;
  bool knows_state(const Shape& file) const;
  // Was the shard replaced while its index was read? It then has no entries.
  bool was_replaced(const Shape& file) const;
  // Is one of the shards another one by now?
  bool changed(const Store& store, const ArrayMeta& meta) const;
  // All paths in batches of about 1 MiB.
  std::vector<ShardBatch> batches(const std::vector<LeafPath>& paths) const;

 private:
  struct Index {
    std::vector<ShardEntry> entries;  // offsets in the file
    std::map<std::uint64_t, Index> inner;
  };
  struct File {
    std::optional<Index> index;  // none: the shard is absent
    std::string state;
    bool replaced = false;
  };
  static void read(const Store& store, const std::string& key, const LeafGrid& grid, const std::vector<LeafPath>& paths,
                   File& file);
  // False when the shard was replaced.
  static bool load(const Store& store, const std::string& key, const LeafGrid& grid, std::size_t level,
                   ShardEntry extent, const std::vector<LeafPath>& paths, const std::string& state, Index& index);

  std::map<Shape, File> files_;
};

}  // namespace tegula::zarr
