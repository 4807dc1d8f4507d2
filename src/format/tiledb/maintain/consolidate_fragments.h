// Merging fragments into fewer ones.
#pragma once

#include <vector>

#include "format/tiledb/listing/array_listing.h"
#include "format/tiledb/maintain/maintained_array.h"
#include "tegula/tiledb.h"

namespace tegula::tiledb {

// What readers see stays the same, also when it is stopped at any point.
std::vector<Consolidation> consolidate_fragments(const MaintainedArray& array, const ConsolidateOptions& options,
                                                 Doing doing);

// Writes the .vac files that are missing because a merge was stopped after its commit.
void finish_merges(Store& store, const ArrayListing& listing);

}  // namespace tegula::tiledb
