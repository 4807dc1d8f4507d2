// Merging the small files of an array: the footers of fragments, commit files and array metadata.
#pragma once

#include <vector>

#include "format/tiledb/maintain/maintained_array.h"
#include "tegula/tiledb.h"

namespace tegula::tiledb {

// Each returns an empty list when there are fewer than two files to merge. The inputs stay until
// a vacuum; only array metadata before version 5, which has no .vac files, is removed at once.
std::vector<Consolidation> consolidate_footers(const MaintainedArray& array, Doing doing, const Work& work);
std::vector<Consolidation> consolidate_commits(const MaintainedArray& array, Doing doing);
std::vector<Consolidation> consolidate_metadata(const MaintainedArray& array, Doing doing, const Work& work);

}  // namespace tegula::tiledb
