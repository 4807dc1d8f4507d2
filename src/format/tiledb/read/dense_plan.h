// Which fragment supplies which cells of a dense result.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "format/tiledb/fragment/fragment.h"
#include "format/tiledb/order/dense_grid.h"
#include "format/tiledb/read/box_copy.h"
#include "tegula/work.h"

namespace tegula::tiledb {

// The part of one tile of one fragment that a result takes.
struct TileCopy {
  std::uint32_t fragment = 0;  // in the list given
  std::uint64_t tile = 0;
  std::vector<Box> boxes;
};

// Cells of sparse fragments, written over what is there in the order of the list.
struct CellOverlay {
  std::uint32_t fragment = 0;
  std::uint64_t tile = 0;
  std::vector<std::uint64_t> cells;   // in the tile
  std::vector<std::uint64_t> places;  // in C order of the result
};

struct DensePlan {
  std::vector<std::uint64_t> shape;  // of the result, dropped axes as 1
  std::vector<TileCopy> copies;
  std::vector<Box> holes;  // cells nobody wrote
  std::vector<CellOverlay> overlays;
  std::uint64_t cells() const;
};

// A fragment and the box of cells it covers, both ends included.
struct SourceBox {
  std::uint32_t fragment = 0;
  std::vector<std::uint64_t> first, last;
};

// Cells that are picked one by one: coordinates by dimension, the result is 1-d.
using DensePoints = std::vector<std::vector<std::uint64_t>>;

class DensePlanner {
 public:
  // Fragments oldest first, their schemas agreeing on the grid. Borrows them.
  DensePlanner(const ArrayFiles& files, const DenseGrid& grid,
               std::span<const std::shared_ptr<const Fragment>> fragments);

  DensePlan plan(std::span<const AxisRuns> axes, const Work& work) const;
  DensePlan plan(const DensePoints& points, const Work& work) const;

  // The one fragment that supplies all of a box of cells (both ends included), if there is one and no part is older or
  // unwritten.
  std::optional<std::uint32_t> sole_source(std::span<const std::uint64_t> first,
                                           std::span<const std::uint64_t> last) const;
  // Whether any fragment wrote a part of the space tile.
  bool written(std::span<const std::uint64_t> tile) const;
  // Number of a space tile in a fragment.
  std::uint64_t tile_number(std::uint32_t fragment, std::span<const std::uint64_t> tile) const;

 private:
  struct Piece;
  void resolve(Piece& piece, const Box& box, std::size_t source, std::span<const SourceBox* const> sources) const;
  void add_piece(DensePlan& plan, std::span<const std::uint64_t> tile, std::span<const Box> boxes,
                 std::span<const SourceBox* const> sources) const;
  std::vector<const SourceBox*> sources_in(std::span<const std::uint64_t> first,
                                           std::span<const std::uint64_t> last) const;

  const ArrayFiles& files_;
  const DenseGrid& grid_;
  std::span<const std::shared_ptr<const Fragment>> fragments_;
  std::vector<SourceBox> dense_;   // newest first
  std::vector<SourceBox> sparse_;  // oldest first
};

}  // namespace tegula::tiledb
