// Tiles of sparse cells: gathered from columns in the order they are to have, with the rectangles around them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "format/tiledb/write/fragment_writer.h"
#include "tegula/columns.h"

namespace tegula::tiledb {

// Fills an empty column with the cells of one tile of a field. Cells of a column without nulls are valid.
void gather_tile(const StoredField& field, const Column& column, std::span<const std::uint64_t> cells, TileColumn& out);

// The rectangles of tiles, taken while they are gathered.
class TileRectangles {
 public:
  TileRectangles(const ArraySchema& schema, std::uint64_t tiles);
  // Looks at dimensions only. Different tiles and fields may come from several threads.
  void take(std::uint64_t tile, const StoredField& field, const TileColumn& cells);
  void append_to(MbrTable& rectangles) const;

 private:
  const ArraySchema& schema_;
  std::vector<Bytes> low_, high_;  // by tile and dimension
};

// What the rectangles of all tiles make of a fragment.
FragmentCover cover_of(MbrTable rectangles, const ArraySchema& schema, std::uint64_t last_tile_cells);

}  // namespace tegula::tiledb
