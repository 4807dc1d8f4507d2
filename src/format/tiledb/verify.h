// Reads everything that an array holds and reports what is wrong, file by file.
#pragma once

#include <vector>

#include "format/tiledb/read/snapshot.h"
#include "tegula/array.h"

namespace tegula::tiledb {

// Decodes every tile of every committed fragment, visible or not.
std::vector<Problem> verify_array(const Snapshot& snapshot, const Work& work);

}  // namespace tegula::tiledb
