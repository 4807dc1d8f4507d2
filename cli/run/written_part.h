// Restricts queries of huge domains to what was written.
#pragma once

#include "tegula/array.h"

namespace tegula::cli {

// A dense domain may have far more cells than can be read, nearly all of them never written: data frames of TileDB-Py
// do. A query for all of such an array becomes one for what was written.
void leave_out_the_unwritten(Query& query, const Array& array);

}  // namespace tegula::cli
