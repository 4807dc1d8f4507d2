// The cells of a sparse result that has to be sorted: put in order, freed of those that others hide or that were
// deleted.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "format/tiledb/sparse/sparse_hits.h"
#include "tegula/bytes.h"
#include "tegula/columns.h"
#include "tegula/work.h"

namespace tegula::tiledb {

// Candidates: the hits of the ranges and, unless newer cells may hide older ones, of the conditions.
struct SparseCells {
  SparseHits found;
  std::vector<Column> coordinates;  // by dimension
  Buffer<std::uint8_t> keep;        // 0: hidden, deleted or not matching
};

SparseCells find_cells(const SparseQuery& query, SparsePart part, const Work& work);

// The candidates that make the result, in its order.
Buffer<std::uint64_t> result_order(const SparseQuery& query, SparseCells& cells, const Work& work);

}  // namespace tegula::tiledb
