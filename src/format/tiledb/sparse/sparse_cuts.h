// Cutting a part of a sparse result into smaller ones, guided by a sample of its coordinates.
#pragma once

#include <cstdint>
#include <vector>

#include "format/tiledb/sparse/sparse_tiles.h"

namespace tegula::tiledb {

// Bytes that the cells of a tile take while they are sorted and returned.
std::uint64_t tile_bytes(const SparseQuery& query, const SparseTile& tile, const Work& work);

// Parts that follow each other by the coordinates of one dimension, or along the schema's Hilbert curve. Each fits the
// budget, except one that holds a single value, and except when there would be too many parts: those have to be cut
// again. Cells with equal coordinates stay in one part.
std::vector<SparsePart> cut_by_coordinate(const SparseQuery& query, const SparsePart& part, std::size_t dimension,
                                          const Work& work);
std::vector<SparsePart> cut_by_curve(const SparseQuery& query, const SparsePart& part, const Work& work);

}  // namespace tegula::tiledb
