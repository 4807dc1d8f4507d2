// Queries of sparse arrays.
#pragma once

#include <memory>

#include "format/tiledb/read/snapshot.h"
#include "tegula/query.h"

namespace tegula::tiledb {

// Results come in batches under the budget; `skip` and `limit` count cells.
std::unique_ptr<BatchStream> query_sparse(std::shared_ptr<const Snapshot> snapshot, const Query& query);

}  // namespace tegula::tiledb
