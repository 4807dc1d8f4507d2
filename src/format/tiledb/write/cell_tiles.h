// Sparse tiles: cells gathered from columns in a given order, and the rectangles around them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "format/tiledb/write/fragment_writer.h"
#include "tegula/columns.h"

namespace tegula::tiledb {

// Fills an empty column with the cells of one tile of a field. All cells are valid when `column` is not nullable.
void gather_tile(const StoredField& field, const Column& column, std::span<const std::uint64_t> cells, TileColumn& out);

// Collects the rectangles of tiles while these are gathered.
class TileRectangles {
 public:
  TileRectangles(const ArraySchema& schema, std::uint64_t tiles);
  // Ignores attributes. Different tiles and fields may come from several threads.
  void take(std::uint64_t tile, const StoredField& field, const TileColumn& cells);
  void append_to(MbrTable& rectangles) const;

 private:
  const ArraySchema& schema_;
  std::vector<Bytes> low_, high_;  // by tile and dimension
};

// What the footer says of a fragment whose tiles have these rectangles.
FragmentCover cover_of(MbrTable rectangles, const ArraySchema& schema, std::uint64_t last_tile_cells);

}  // namespace tegula::tiledb
