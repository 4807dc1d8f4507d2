// Whether a folder is a TileDB array or group.
#pragma once

#include <vector>

#include "store/store.h"
#include "tegula/array.h"

namespace tegula::tiledb {

// Judged by names alone, without listing the folder itself. A store without listings holds none.
ObjectKind probe(const Store& store);
ObjectKind probe(const std::vector<Entry>& listing);

}  // namespace tegula::tiledb
