// Which fragments are merged with which.
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

// `array` has its fragments loaded. Fragments that options.fragments names are merged as they are or, where that would
// change what readers see, refused with invalid_argument; without names, sets are chosen for which it does not.
std::vector<Merge> plan_merges(const ArrayContents& array, const ConsolidateOptions& options);

}  // namespace tegula::tiledb
