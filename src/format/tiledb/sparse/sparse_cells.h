// The cells of a sparse result that is sorted: found, ordered, and without hidden or deleted ones.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "format/tiledb/sparse/sparse_hits.h"
#include "tegula/bytes.h"
#include "tegula/columns.h"
#include "tegula/work.h"

namespace tegula::tiledb {

// The candidates: cells in the ranges that also pass the conditions, unless newer cells may hide older ones; then the
// conditions are applied later.
struct SparseCells {
  SparseHits found;
  std::vector<Column> coordinates;  // by dimension
  Buffer<std::uint8_t> keep;        // 0: hidden, deleted or not matching
};

SparseCells find_cells(const SparseQuery& query, SparsePart part, const Work& work);

// The candidates that belong to the result, in its order.
Buffer<std::uint64_t> result_order(const SparseQuery& query, SparseCells& cells, const Work& work);

}  // namespace tegula::tiledb
