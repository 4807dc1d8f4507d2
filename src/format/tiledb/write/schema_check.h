// What a schema must be before an array is made of it.
#pragma once

#include "format/tiledb/disk/array_schema.h"

namespace tegula::tiledb {

// Throws invalid_argument for what libtiledb refuses, with the reason, and unsupported for what schema.version lacks,
// with the first version that has it. Tile extents must be there already, except of text.
void check_new_schema(const ArraySchema& schema, const std::vector<Enumeration>& enumerations);

}  // namespace tegula::tiledb
