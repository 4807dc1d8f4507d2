// Whether a folder is a TileDB array or group.
#pragma once

#include <vector>

#include "store/store.h"
#include "tegula/array.h"

namespace tegula::tiledb {

// Judged by the names in the folder alone: one listing.
ObjectKind probe(const Store& store);
ObjectKind probe(const std::vector<Entry>& listing);

}  // namespace tegula::tiledb
