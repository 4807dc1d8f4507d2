// Cutting a part of a sparse result by what its cells are: a pass over their coordinates takes a sample of them.
#pragma once

#include <cstdint>
#include <vector>

#include "format/tiledb/sparse/sparse_tiles.h"

namespace tegula::tiledb {

// What the cells of a tile take while they are put in order and given out.
std::uint64_t tile_bytes(const SparseQuery& query, const SparseTile& tile, const Work& work);

// Parts that follow each other by the coordinates of one dimension, or along the Hilbert curve of the schema, and know
// their shares of the tiles. They fit the budget, except those of one value, and those that are few of very many: these
// are to be cut again. Cells of equal coordinates stay together.
std::vector<SparsePart> cut_by_coordinate(const SparseQuery& query, const SparsePart& part, std::size_t dimension,
                                          const Work& work);
std::vector<SparsePart> cut_by_curve(const SparseQuery& query, const SparsePart& part, const Work& work);

}  // namespace tegula::tiledb
