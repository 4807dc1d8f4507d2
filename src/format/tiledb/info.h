// Counts and sizes of an array.
#pragma once

#include "format/tiledb/read/snapshot.h"
#include "tegula/array.h"

namespace tegula::tiledb {

// From the footers alone; reads no cells.
Info array_info(const Snapshot& snapshot, const Work& work);

}  // namespace tegula::tiledb
