// Reading and writing the chunks of one array.
#pragma once

#include <functional>
#include <memory>

#include "format/zarr/chunk/chunk_locks.h"
#include "format/zarr/chunk/replace_chunks.h"
#include "format/zarr/meta/array_meta.h"
#include "model/chunk_plan.h"
#include "store/store.h"
#include "tegula/array.h"
#include "tegula/columns.h"
#include "tegula/selection.h"
#include "tegula/work.h"

namespace tegula::zarr {

// The grid of leaf chunks, the smallest that can be read separately: those inside shards, unless a codec around the
// shard prevents reading a part of it.
struct LeafGrid {
  std::vector<const Sharding*> levels;
  std::vector<Shape>
      shapes;  // of the chunk in a file, then of the chunks of each level of shards; the last is the leaf's
  const CodecChain* chain = nullptr;
  const Shape& shape() const { return shapes.back(); }
};
LeafGrid leaf_grid(const ArrayMeta& meta);

// Where a leaf chunk is: the grid coordinates of the file, and the number of the chunk at every level of shards.
struct LeafPath {
  Shape file;
  std::vector<std::uint64_t> numbers;
};

// Immutable, thread-safe. Every error names the file of the chunk.
class ChunkStore {
 public:
  // Borrows `meta`.
  ChunkStore(std::shared_ptr<Store> store, const ArrayMeta& meta, const ChunkLocks& locks, Missing missing);

  // Reads fixed-size cells.
  void read(const Picks& picks, const StridedBuffer& out, const Work& work) const;
  // Reads cells of any length, in C order of the result.
  VariableCells read_variable(const Picks& picks, const Work& work) const;
  // `shape` is that of the array, or the one it is about to grow to. Chunks that are covered in part are read first.
  // As replace_chunks() says, which also explains `go`.
  bool write(const Picks& picks, const Shape& shape, const StridedView& values, const Work& work,
             const Go& go = {}) const;
  bool write_variable(const Picks& picks, const Shape& shape, const VariableCells& values, const Work& work,
                      const Go& go = {}) const;
  // Reads and decodes one whole file; throws if that fails.
  void check(const Shape& chunk) const;

 private:
  using UseLeaf = std::function<void(std::size_t piece, std::optional<ByteView> bytes)>;
  // Reads the leaf chunks of a plan and calls `use` with each, in parallel; with no value for absent ones.
  void each_leaf(const ChunkPlan& plan, const Work& work, const UseLeaf& use) const;
  void each_leaf_of_shards(const ChunkPlan& plan, const Work& work, const UseLeaf& use) const;
  // The same for some pieces, whose paths are given. Returns those whose shard was replaced meanwhile.
  std::vector<std::size_t> read_leaves(const std::vector<std::size_t>& pieces, const std::vector<LeafPath>& paths,
                                       const Work& work, const UseLeaf& use) const;
  void use_leaf(std::size_t piece, std::optional<ByteView> bytes, const UseLeaf& use) const;
  void read_piece(const ChunkPlan& plan, std::size_t i, ByteView file, const StridedBuffer& out) const;
  // All cells of a chunk file, or of an absent one.
  Bytes cells_of(std::optional<ByteView> file) const;
  VariableCells variable_of(std::optional<ByteView> file) const;

  std::shared_ptr<Store> store_;
  const ArrayMeta& meta_;
  ChunkLocks locks_;
  Missing missing_;
  LeafGrid leaf_;
};

}  // namespace tegula::zarr
