// Stored deletes as they concern the cells of one fragment.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "format/tiledb/fragment/fragment.h"
#include "format/tiledb/read/array_contents.h"
#include "query/condition/condition.h"

namespace tegula::tiledb {

struct FragmentDelete {
  Condition stays;         // bound to the fragment's own schema
  std::uint64_t time = 0;  // of the delete
  bool by_time = false;    // only cells written at `time` or before are concerned
  std::string marker;      // "__commits/<name>.del"
};

// The deletes of the window that act on a fragment: those not before it that it has not been consolidated with. Throws
// unsupported for one that libtiledb cannot read either.
std::vector<FragmentDelete> deletes_of(const Fragment& fragment, std::span<const TimedCondition> conditions);

}  // namespace tegula::tiledb
