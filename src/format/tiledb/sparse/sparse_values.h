// The values of the cells that a sparse query sees.
#pragma once

#include <span>
#include <vector>

#include "format/tiledb/sparse/sparse_hits.h"
#include "tegula/columns.h"

namespace tegula::tiledb {

// One value per hit. Chunks without a hit are not decoded; cells of fixed size are decoded in place where all are hits.
std::vector<Column> read_hits(const SparseQuery& query, const SparseHits& hits, std::span<const FieldInfo> fields,
                              const Work& work);

}  // namespace tegula::tiledb
