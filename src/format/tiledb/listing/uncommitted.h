// Fragment folders that interrupted writers leave behind.
#pragma once

#include <string>
#include <vector>

#include "format/tiledb/listing/array_listing.h"

namespace tegula::tiledb {

// Keys of fragment folders that are neither committed nor listed in a vacuum file. A writer at work has such a folder,
// too.
std::vector<std::string> uncommitted_fragments(const Store& store, const ArrayListing& listing);
std::vector<std::string> uncommitted_fragments(const Store& store);

}  // namespace tegula::tiledb
