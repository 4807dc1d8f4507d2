// Dense writes of more cells than memory holds.
#pragma once

#include <cstdint>
#include <memory>

#include "format/tiledb/write/write_dense.h"

namespace tegula::tiledb {

// Writes one fragment from the cells of a box, given in pieces in options.order. Keeps one band of tiles in memory:
// those that are contiguous in the input. Throws unsupported when a band does not fit options.work.memory.
std::unique_ptr<CellWriter> stream_dense(const WriteTarget& target, const DenseBox& box, std::uint64_t time,
                                         const WriteOptions& options);

}  // namespace tegula::tiledb
