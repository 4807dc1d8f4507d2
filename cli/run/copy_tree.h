// Copies of groups, folders of arrays and arrays of several fields, for `convert` and `rechunk`.
#pragma once

#include "convert/convert.h"
#include "convert/tree/tree_plan.h"
#include "run/copy_array.h"

namespace tegula::cli {

TreeSource tree_source(const CopyFlags& flags, const Globals& globals);

// Returns the exit code. `options` are those of each array.
int copy_tree(const CopyFlags& flags, const ConvertOptions& options, const Globals& globals);

}  // namespace tegula::cli
