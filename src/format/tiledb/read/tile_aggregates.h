// Aggregates of whole tiles, from their stored statistics.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "format/tiledb/fragment/fragment.h"
#include "query/aggregate/aggregates.h"
#include "tegula/query.h"

namespace tegula::tiledb {

// Adds a whole tile of `cells` cells to every aggregate of the set, or changes nothing and returns false when the
// statistics do not give the exact answer.
bool add_statistics(AggregateSet& set, std::span<const Aggregate> aggregates, const Fragment& fragment,
                    std::uint64_t tile, std::uint64_t cells);

// A stream of one batch.
std::unique_ptr<BatchStream> one_batch(Batch batch);

}  // namespace tegula::tiledb
