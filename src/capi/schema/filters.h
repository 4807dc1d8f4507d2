// Filters and lists of them.
#pragma once

#include "capi/core/handles.h"
#include "format/tiledb/disk/filter_pipeline.h"

namespace tegula::capi {

struct FilterHandle {
  static constexpr std::string_view kName = "filter";
  tiledb::FilterStep step;
};

struct FilterListHandle {
  static constexpr std::string_view kName = "filter list";
  tiledb::Pipeline filters;
};

// "ZSTD(level 5), BYTESHUFFLE"; "none" for none.
std::string describe(const tiledb::Pipeline& filters);

}  // namespace tegula::capi
