// Dense arrays of one dimension as tables.
#pragma once

#include <memory>

#include "format/tiledb/read/snapshot.h"
#include "tegula/query.h"

namespace tegula::tiledb {

// The rows that somebody wrote and that match, in row order, with row numbers, skip and limit. Throws invalid_argument
// for arrays of several dimensions, labels and other orders.
std::unique_ptr<BatchStream> query_dense_rows(std::shared_ptr<const Snapshot> snapshot, const Query& query);

}  // namespace tegula::tiledb
