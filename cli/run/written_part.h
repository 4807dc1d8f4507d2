// The part of an array that is worth looking at as a whole.
#pragma once

#include "tegula/array.h"

namespace tegula::cli {

// A dense domain may have more cells than can ever be looked at, nearly all of them never written: tables of TileDB-Py
// do. A query for all of such an array becomes one for what was written.
void leave_out_the_unwritten(Query& query, const Array& array);

}  // namespace tegula::cli
