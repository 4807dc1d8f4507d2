// Merging sparse fragments: all their cells, in global order, become new fragments.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "format/tiledb/read/snapshot.h"
#include "format/tiledb/write/fragment_writer.h"
#include "tegula/work.h"

namespace tegula::tiledb {

struct MergeRules {
  bool keep_times = true;  // keep all versions of a cell with their times; else the newest
  bool purge = false;      // leave out deleted cells, and those that they had replaced
  std::uint64_t max_fragment_size = UINT64_MAX;
};

// Finished, but not committed yet.
using NewFragments = std::vector<std::unique_ptr<FragmentWriter>>;

// Merges the fragments that `snapshot` sees. Returns none when no cell is left. Holds a part of the cells that fits the
// budget; the others are kept uncompressed in scratch files of the store.
NewFragments merge_sparse(const WriteTarget& target, std::shared_ptr<const Snapshot> snapshot, const MergeRules& rules,
                          const Work& work);

}  // namespace tegula::tiledb
