// "order" of formats 1 and 2: how cells lie inside a chunk.
#pragma once

#include <numeric>
#include <vector>

#include "base/fail.h"
#include "base/json.h"

namespace tegula::zarr {

// C: no permutation; F: the axes reversed. Throws corrupt for anything else.
inline std::vector<std::uint32_t> order_permutation(const Json& order, std::size_t rank) {
  if (order == "C" || (order == "F" && rank < 2)) return {};
  if (order != "F") fail(ErrorKind::corrupt, "'order' is {}, expected \"C\" or \"F\"", dump_json(order));
  std::vector<std::uint32_t> reversed(rank);
  std::iota(reversed.rbegin(), reversed.rend(), 0u);
  return reversed;
}

}  // namespace tegula::zarr
