// Sparse writes: cells in any order become one fragment in global order.
#pragma once

#include <cstdint>
#include <memory>

#include "format/tiledb/write/fragment_writer.h"
#include "tegula/array.h"

namespace tegula::tiledb {

// `cells` holds every attribute and dimension. Throws invalid_argument, before anything is written, for coordinates
// outside of the domain or the current domain, NaN, duplicates where they are not allowed, and for cells that are not
// in global order although options.order says so. No cells make no fragment.
void write_sparse(const WriteTarget& target, const Batch& cells, std::uint64_t time, const WriteOptions& options);

// The same for cells in global order that come in pieces. Keeps at most a tile in memory besides the current piece.
std::unique_ptr<CellWriter> stream_sparse(const WriteTarget& target, std::uint64_t time, const WriteOptions& options);

}  // namespace tegula::tiledb
