// Merging dense fragments: what a reader sees of the box around them, as one new fragment.
#pragma once

#include <memory>

#include "format/tiledb/maintain/sparse_merge.h"
#include "format/tiledb/read/snapshot.h"

namespace tegula::tiledb {

// The fragments that `snapshot` sees. Cells of the box that nobody wrote become fill values. max_fragment_size cuts the
// box along the dimension that leads the tile order, between tiles.
NewFragments merge_dense(const WriteTarget& target, std::shared_ptr<const Snapshot> snapshot,
                         std::uint64_t max_fragment_size, const Work& work);

}  // namespace tegula::tiledb
