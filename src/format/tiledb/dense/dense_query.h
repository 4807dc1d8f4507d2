// Queries of dense arrays.
#pragma once

#include <memory>

#include "format/tiledb/read/snapshot.h"
#include "tegula/query.h"

namespace tegula::tiledb {

// A result above the budget comes in blocks along the slowest axis of the order; in row order each block has its shape.
// Labels come with the first batch, as one column per label with a value for each selected coordinate of its dimension.
std::unique_ptr<BatchStream> query_dense(std::shared_ptr<const Snapshot> snapshot, const Query& query);

// Reads one field into the caller's memory, which has the shape of the selection.
void read_dense(const Snapshot& snapshot, const Selection& selection, std::string_view field, const StridedBuffer& out,
                const Work& work);

}  // namespace tegula::tiledb
