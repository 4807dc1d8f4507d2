// Merging dense fragments: what a reader sees of the box around them becomes new fragments.
#pragma once

#include <memory>

#include "format/tiledb/maintain/sparse_merge.h"
#include "format/tiledb/read/snapshot.h"

namespace tegula::tiledb {

// Merges the fragments that `snapshot` sees. Cells of the box that were never written become fill values.
// max_fragment_size cuts the box between tiles, along the slowest dimension of the tile order.
NewFragments merge_dense(const WriteTarget& target, std::shared_ptr<const Snapshot> snapshot,
                         std::uint64_t max_fragment_size, const Work& work);

}  // namespace tegula::tiledb
