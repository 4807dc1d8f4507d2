// Merging sparse fragments: all their cells, in global order, as new fragments.
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
  bool keep_times = true;  // and all versions of a cell; else the newest
  bool purge = false;      // leave out what was deleted, and what it had replaced
  std::uint64_t max_fragment_size = UINT64_MAX;
};

// Written whole, and not committed yet.
using NewFragments = std::vector<std::unique_ptr<FragmentWriter>>;

// The fragments that `snapshot` sees. None come out when no cell is left. Holds a part of the cells at a time that fits
// the budget; the others wait in scratch room of the store, as they are when nothing is compressed.
NewFragments merge_sparse(const WriteTarget& target, std::shared_ptr<const Snapshot> snapshot, const MergeRules& rules,
                          const Work& work);

}  // namespace tegula::tiledb
