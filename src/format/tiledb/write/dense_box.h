// Boxes of cells that dense writes work on, and the space tiles around them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "format/tiledb/order/dense_grid.h"
#include "format/tiledb/write/fragment_writer.h"
#include "tegula/selection.h"

namespace tegula::tiledb {

// A box of cells, counted from the start of the domain. A dropped axis is one that an integer selected.
struct DenseBox {
  std::vector<std::uint64_t> first, count;
  std::vector<bool> dropped, reversed;
  std::vector<std::uint64_t> shape() const;  // without dropped axes
  std::uint64_t cells() const;
};

bool is_box(const Picks& picks);
// Throws unsupported for a selection that is not a box, and invalid_argument for one outside of the current domain.
DenseBox box_of(const ArraySchema& schema, const Picks& picks);
void check_current_domain(const ArraySchema& schema, const DenseBox& box);
// For a box that no selection can name, because it lies 2^63 cells or more behind the start of the domain.
DenseBox box_of(const ArraySchema& schema, std::vector<std::uint64_t> first, std::vector<std::uint64_t> count);

// What the footer says of a fragment that holds a box.
FragmentCover dense_cover(const ArraySchema& schema, const DenseBox& box);

// The part of a box that lies in one space tile.
struct BoxPart {
  std::vector<std::uint64_t> tile;                    // place in the grid of tiles
  std::vector<std::uint64_t> in_tile, in_box, count;  // where it begins in the tile and in the box, and its shape
  std::uint64_t cells = 1;
};

// The space tiles around a box, numbered in tile order. Borrows both.
class BoxTiles {
 public:
  BoxTiles(const DenseGrid& grid, const DenseBox& box);
  std::uint64_t tiles() const;
  BoxPart part(std::uint64_t tile) const;
  DenseBox box_of(const BoxPart& part) const;
  // The cells of a part in its tile, as runs of the tile's cell order.
  std::vector<CellRun> runs(const BoxPart& part) const;
  // Dimensions, by how fast tile order steps along them.
  std::size_t fastest() const { return fastest_first_.front(); }
  std::size_t slowest() const { return fastest_first_.back(); }

 private:
  const DenseGrid& grid_;
  const DenseBox& box_;
  std::vector<std::size_t> fastest_first_;
  std::vector<std::uint64_t> first_, count_;
};

}  // namespace tegula::tiledb
