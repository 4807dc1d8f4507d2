// The columns of a sorted sparse result.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "format/tiledb/sparse/sparse_cells.h"

namespace tegula::tiledb {

// Columns of the result. `order` is what result_order() returned, or a part of it.
std::vector<Column> gather_fields(const SparseQuery& query, const SparseCells& cells,
                                  std::span<const std::uint64_t> order, std::span<const FieldInfo> fields,
                                  const Work& work);

}  // namespace tegula::tiledb
