// Copies a whole tree of groups and arrays.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "convert/tree/tree_plan.h"

namespace tegula {

// What became of an item of the plan, in its order.
struct CopiedItem {
  std::uint64_t source_bytes = 0, bytes = 0;  // of arrays, as stored
  std::uint64_t passed = 0;                   // chunks or tiles copied without decoding
  std::optional<Comparison> compared;
};

struct CopiedTree {
  bool resumed = false;  // an earlier run had been interrupted
  std::vector<CopiedItem> items;
};

// Carries out the plan in `store`, where nothing may be unless options.create.overwrite replaces it as a whole, once
// the new tree is. Each array is copied by convert() with `options`, of which target is that of the plan.
//
// A note in the root tells that the tree is unfinished: it does not open until it is done, and the same call goes on
// where it was stopped. Throws invalid_argument for a call with other options or a source that has changed, as
// convert() does, and when one tree lies inside the other.
CopiedTree convert_tree(const TreeSource& source, const TreePlan& plan, std::shared_ptr<Store> store,
                        const ConvertOptions& options, const Work& work);

}  // namespace tegula
