// TileDB as a format family.
#pragma once

#include "format/driver.h"

namespace tegula::tiledb {

extern const Driver kTiledbDriver;

}  // namespace tegula::tiledb
