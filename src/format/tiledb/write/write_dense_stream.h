// Dense writes of more cells than memory holds.
#pragma once

#include <cstdint>
#include <memory>

#include "format/tiledb/write/write_dense.h"

namespace tegula::tiledb {

// One fragment of a box, its cells given in pieces in options.order. Holds one band of tiles: those that lie side by
// side in the input. Throws unsupported when a band does not fit options.work.memory.
std::unique_ptr<CellWriter> stream_dense(const WriteTarget& target, const DenseBox& box, std::uint64_t time,
                                         const WriteOptions& options);

}  // namespace tegula::tiledb
