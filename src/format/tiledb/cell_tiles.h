// Tiles of sparse cells: gathered from columns in the order they are to have, with the rectangles around them.
#pragma once

#include <cstdint>
#include <span>

#include "format/tiledb/fragment_writer.h"
#include "tegula/columns.h"
#include "tegula/work.h"

namespace tegula::tiledb {

// The cells of one tile of a field. Cells of a column without nulls are valid.
TileColumn gather_tile(const StoredField& field, const Column& column, std::span<const std::uint64_t> cells);

// Appends the rectangle of each tile when `order` is cut into tiles of the schema's capacity. One column per dimension.
void add_rectangles(const ArraySchema& schema, std::span<const Column* const> dimensions,
                    std::span<const std::uint64_t> order, MbrTable& rectangles, const Work& work);

// What the rectangles of all tiles make of a fragment.
FragmentCover cover_of(MbrTable rectangles, const ArraySchema& schema, std::uint64_t last_tile_cells);

}  // namespace tegula::tiledb
