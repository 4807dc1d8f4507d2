// Aggregates of dense arrays, from stored statistics where these decide.
#pragma once

#include <memory>

#include "format/tiledb/read/snapshot.h"
#include "tegula/query.h"

namespace tegula::tiledb {

std::unique_ptr<BatchStream> aggregate_dense(std::shared_ptr<const Snapshot> snapshot, const Query& query);

}  // namespace tegula::tiledb
