// Some cells of a tile, on their way into columns.
#pragma once

#include <cstdint>
#include <span>

#include "format/tiledb/sparse/sparse_hits.h"

namespace tegula::tiledb {

// Cells of `size` bytes at the numbers `cells`, side by side into `out`.
void copy_picked(const std::byte* from, std::size_t size, std::span<const std::uint32_t> cells, std::byte* out);
// A tile of the hits alone.
TileData pick_cells(const TileData& tile, const StoredField& field, const TileHits& hits);

}  // namespace tegula::tiledb
