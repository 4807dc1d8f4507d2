// What writers that were stopped leave in the folder of an array.
#pragma once

#include <string>
#include <vector>

#include "format/tiledb/listing/array_listing.h"

namespace tegula::tiledb {

// Keys of fragment folders that have no commit and are not named by a vacuum file. A writer at work has one, too.
std::vector<std::string> uncommitted_fragments(const Store& store, const ArrayListing& listing);
std::vector<std::string> uncommitted_fragments(const Store& store);

}  // namespace tegula::tiledb
