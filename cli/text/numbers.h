// Cells as doubles, for statistics and pictures.
#pragma once

#include <cstdint>
#include <functional>

#include "tegula/columns.h"

namespace tegula::cli {

// Types with one real number per cell: integers, booleans, floats, dates.
bool is_numeric(const Datatype& type, std::uint32_t values_per_cell);
// The cell as a double; NaN for null cells and for NaT.
double number_at(const Column& column, std::size_t cell);

}  // namespace tegula::cli
