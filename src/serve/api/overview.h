// A window of a dense array reduced to few points.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tegula/array.h"
#include "tegula/selection.h"

namespace tegula::serve {

enum class Reduction : std::uint8_t { mean, min, max, nearest };
// Throws invalid_argument.
Reduction reduction(std::string_view name);

struct OverviewRequest {
  std::string field;
  Selection select;  // leaves at most two axes, without steps
  std::uint64_t width = 512, height = 512;
  Reduction how = Reduction::mean;
};

struct Overview {
  std::uint64_t width = 0, height = 0;  // at most those asked for, and those of the window
  std::vector<double> values;           // row by row; NaN where there is no number
  double low = 0, high = 0;             // of the finite values; equal when there are none
};

// Every point stands for the cells that fall on it. Nulls, NaN and, where a format records what was written, cells with
// the fill value do not count. Reads block by block, so that memory does not grow with the window. Throws
// invalid_argument for what has no such picture, and unsupported for windows beyond 2^31 cells.
Overview overview_of(const Array& array, const OverviewRequest& request, const Work& work);

// As a picture; grey where there is no number.
std::string overview_png(const Overview& overview);

}  // namespace tegula::serve
