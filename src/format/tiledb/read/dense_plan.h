// Planning a dense read: which fragment supplies which cells of the result.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "format/tiledb/fragment/fragment.h"
#include "format/tiledb/order/dense_grid.h"
#include "format/tiledb/read/box_copy.h"
#include "format/tiledb/read/source_index.h"
#include "tegula/work.h"

namespace tegula::tiledb {

// The part of one tile of one fragment that goes into a result.
struct TileCopy {
  std::uint32_t fragment = 0;  // in the list given
  std::uint64_t tile = 0;
  std::vector<Box> boxes;
};

// Cells of sparse fragments. They replace what the copies put there, in the order of the list.
struct CellOverlay {
  std::uint32_t fragment = 0;
  std::uint64_t tile = 0;
  std::vector<std::uint64_t> cells;   // in the tile
  std::vector<std::uint64_t> places;  // in C order of the result
};

struct DensePlan {
  std::vector<std::uint64_t> shape;  // of the result, dropped axes as 1
  std::vector<TileCopy> copies;
  std::vector<Box> holes;  // cells that were never written
  std::vector<CellOverlay> overlays;
  std::uint64_t comparisons = 0;  // of boxes with those of fragments: what planning cost
  std::uint64_t cells() const;
};

// Cells that are picked one by one: coordinates by dimension, the result is 1-d.
using DensePoints = std::vector<std::vector<std::uint64_t>>;

class DensePlanner {
 public:
  // Borrows everything. Fragments are given oldest first, and their schemas have the same grid.
  DensePlanner(const ArrayFiles& files, const DenseGrid& grid,
               std::span<const std::shared_ptr<const Fragment>> fragments);

  DensePlan plan(std::span<const AxisRuns> axes, const Work& work) const;
  DensePlan plan(const DensePoints& points, const Work& work) const;

  // The fragment that supplies every cell of a box (both ends included); none when several do or some cells were never
  // written.
  std::optional<std::uint32_t> sole_source(std::span<const std::uint64_t> first,
                                           std::span<const std::uint64_t> last) const;
  // Whether some fragment has cells of the space tile.
  bool written(std::span<const std::uint64_t> tile) const;
  // The number of a space tile among the tiles of a fragment.
  std::uint64_t tile_number(std::uint32_t fragment, std::span<const std::uint64_t> tile) const;

 private:
  using Sources = std::vector<const SourceBox*>;  // newest first
  class Piece;
  void add_piece(DensePlan& plan, std::span<const std::uint64_t> tile, std::span<const Box> boxes) const;

  const ArrayFiles& files_;
  const DenseGrid& grid_;
  std::span<const std::shared_ptr<const Fragment>> fragments_;
  SourceIndex dense_;   // newest first
  SourceIndex sparse_;  // oldest first
};

}  // namespace tegula::tiledb
