// The chunks of one array in a store: fetched, decoded, changed and put back.
#pragma once

#include <functional>
#include <memory>

#include "format/zarr/chunk/chunk_locks.h"
#include "format/zarr/meta/array_meta.h"
#include "model/chunk_plan.h"
#include "store/store.h"
#include "tegula/array.h"
#include "tegula/columns.h"
#include "tegula/selection.h"
#include "tegula/work.h"

namespace tegula::zarr {

// Where the smallest separately readable chunks lie: inside shards as long as no codec around a shard stands in the
// way.
struct LeafGrid {
  std::vector<const Sharding*> levels;
  std::vector<Shape> shapes;  // of the file's chunk, then of the chunks of each level; the last is the leaf's
  const CodecChain* chain = nullptr;
  const Shape& shape() const { return shapes.back(); }
};
LeafGrid leaf_grid(const ArrayMeta& meta);

// Immutable but for the store behind it; safe to use from several threads. Every error names the chunk's file.
class ChunkStore {
 public:
  // Borrows `meta`.
  ChunkStore(std::shared_ptr<Store> store, const ArrayMeta& meta, const ChunkLocks& locks, Missing missing);

  // Fixed-size cells into place.
  void read(const Picks& picks, const StridedBuffer& out, const Work& work) const;
  // Cells of any length, in C order of the result.
  VariableCells read_variable(const Picks& picks, const Work& work) const;
  // `shape` is the array's, which may be about to grow. Chunks that are covered in part are read first.
  void write(const Picks& picks, const Shape& shape, const StridedView& values, const Work& work) const;
  void write_variable(const Picks& picks, const Shape& shape, const VariableCells& values, const Work& work) const;
  // Fetches and decodes one file wholly.
  void check(const Shape& chunk) const;

 private:
  using UseLeaf = std::function<void(std::size_t piece, std::optional<ByteView> bytes)>;
  // Fetches the leaf chunks of a plan and hands each to `use`, in parallel; absent ones as no value.
  void each_leaf(const ChunkPlan& plan, const Work& work, const UseLeaf& use) const;
  void each_leaf_of_shards(const ChunkPlan& plan, const Work& work, const UseLeaf& use) const;
  void use_leaf(std::size_t piece, std::optional<ByteView> bytes, const UseLeaf& use) const;
  void read_piece(const ChunkPlan& plan, std::size_t i, ByteView file, const StridedBuffer& out) const;
  Bytes load_cells(const Shape& chunk) const;
  VariableCells load_variable(const Shape& chunk) const;

  std::shared_ptr<Store> store_;
  const ArrayMeta& meta_;
  ChunkLocks locks_;
  Missing missing_;
  LeafGrid leaf_;
};

}  // namespace tegula::zarr
