// Aggregates of sparse arrays, from stored statistics where these decide.
#pragma once

#include <memory>

#include "format/tiledb/read/snapshot.h"
#include "tegula/query.h"

namespace tegula::tiledb {

std::unique_ptr<BatchStream> aggregate_sparse(std::shared_ptr<const Snapshot> snapshot, const Query& query);

}  // namespace tegula::tiledb
