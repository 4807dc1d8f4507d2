// The cells of a tile that a query sees.
#pragma once

#include "format/tiledb/sparse/sparse_hits.h"

namespace tegula::tiledb {

// A tile of the hits alone.
TileData pick_cells(const TileData& tile, const StoredField& field, const TileHits& hits);

}  // namespace tegula::tiledb
