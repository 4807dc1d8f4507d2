// How large the results of a read may become.
#pragma once

#include "capi/query/query.h"

namespace tegula::capi {

struct Estimate {
  std::uint64_t data = 0, offsets = 0, validity = 0;  // bytes
};

// Dense: exact for cells of a fixed size. Otherwise from the metadata of fragments that touch the ranges; no cells are
// read.
Estimate estimate(const QueryState& query, std::string_view name);

}  // namespace tegula::capi
