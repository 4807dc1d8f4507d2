// Defaults for what the schema of a new array leaves open.
#pragma once

#include "tegula/schema.h"

namespace tegula::tiledb {

// Tiles of about 1 MB; byteshuffle and zstd for numbers, zstd for text, libtiledb's own defaults for coordinates,
// offsets and validity. A list of the one filter "none" means no filters, and becomes an empty list.
Schema with_defaults(Schema schema);

}  // namespace tegula::tiledb
