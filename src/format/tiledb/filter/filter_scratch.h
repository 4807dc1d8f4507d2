// Buffers that decoding and encoding chunks reuse.
#pragma once

#include "format/tiledb/filter/object_pool.h"
#include "tegula/bytes.h"

namespace tegula::tiledb {

// For one thread at a time. Each filter reads from one buffer of a pair and writes to the other.
struct FilterScratch {
  Bytes data[2];
  Bytes metadata[2];
};

using ScratchPool = ObjectPool<FilterScratch>;

}  // namespace tegula::tiledb
