// Checks of a schema before an array is created.
#pragma once

#include "format/tiledb/disk/array_schema.h"

namespace tegula::tiledb {

// Throws invalid_argument with the reason for what libtiledb refuses, and unsupported for what schema.version lacks,
// with the first version that has it. Tile extents must be set already, except those of text.
void check_new_schema(const ArraySchema& schema, const std::vector<Enumeration>& enumerations);

}  // namespace tegula::tiledb
