// Choosing the fragments that are merged with each other.
#pragma once

#include <vector>

#include "format/tiledb/read/array_contents.h"
#include "tegula/tiledb.h"

namespace tegula::tiledb {

struct Merge {
  std::vector<FragmentEntry> inputs;  // oldest first
  std::vector<std::shared_ptr<const Fragment>> fragments;
  Consolidation what;
};

// `array` has its fragments loaded. The fragments named in options.fragments are merged, or refused with
// invalid_argument where that would change what readers see; without names, chooses sets for which it does not.
struct MergePlan {
  std::vector<Merge> merges;
  std::uint64_t comparisons = 0;  // of the rectangles of fragments: what planning cost
};
MergePlan plan_merges(const ArrayContents& array, const ConsolidateOptions& options);

}  // namespace tegula::tiledb
