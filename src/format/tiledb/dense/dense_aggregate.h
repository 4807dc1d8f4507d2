// Aggregates over dense and sparse arrays, from tile statistics where these decide.
#pragma once

#include <memory>

#include "format/tiledb/read/snapshot.h"
#include "query/aggregate/aggregates.h"
#include "tegula/query.h"

namespace tegula::tiledb {

std::unique_ptr<BatchStream> aggregate_dense(std::shared_ptr<const ReadState> state, const Query& query);
std::unique_ptr<BatchStream> aggregate_sparse(std::shared_ptr<const ReadState> state, const Query& query);

// Adds a whole tile of `cells` cells to every aggregate of the set, or changes nothing and returns false when the
// statistics do not give the exact answer.
bool add_statistics(AggregateSet& set, std::span<const Aggregate> aggregates, const Fragment& fragment,
                    std::uint64_t tile, std::uint64_t cells);

// A stream of one batch.
std::unique_ptr<BatchStream> one_batch(Batch batch);

}  // namespace tegula::tiledb
