// The buffers behind FilterScratch.
#pragma once

#include "format/tiledb/filter/filter_plan.h"

namespace tegula::tiledb {

// Each step reads from one buffer of a pair and writes to the other.
struct FilterScratch::Impl {
  Bytes data[2];
  Bytes metadata[2];
};

}  // namespace tegula::tiledb
