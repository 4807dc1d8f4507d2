// Queries of dense arrays.
#pragma once

#include <memory>

#include "format/tiledb/read/snapshot.h"
#include "tegula/query.h"

namespace tegula::tiledb {

// Results above the budget come in blocks along the slowest axis of the order asked for; in row order each has its
// shape. Labels among the fields come with the first batch, as one column per label with a cell per coordinate of its
// dimension.
std::unique_ptr<BatchStream> query_dense(std::shared_ptr<const Snapshot> snapshot, const Query& query);

// One field into a caller's memory, whose shape is the selection's.
void read_dense(const Snapshot& snapshot, const Selection& selection, std::string_view field, const StridedBuffer& out,
                const Work& work);

}  // namespace tegula::tiledb
