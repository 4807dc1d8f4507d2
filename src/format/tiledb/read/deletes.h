// The stored deletes that apply to one fragment.
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
  bool by_time = false;    // removes only cells written at `time` or before
  std::string marker;      // "__commits/<name>.del"
};

// The deletes in the window that are not older than the fragment and that it was not consolidated with. Throws
// unsupported for a delete that libtiledb cannot read either.
std::vector<FragmentDelete> deletes_of(const Fragment& fragment, std::span<const TimedCondition> conditions);

}  // namespace tegula::tiledb
