// Compares single cells.
#pragma once

#include <cstddef>

#include "tegula/columns.h"

namespace tegula {

// Compares values, not encodings: an int32 3 equals a big-endian int64 3, NaN equals NaN, text is compared without
// trailing zero bytes.
bool equal_cells(const Column& left, std::size_t i, const Column& right, std::size_t j);

}  // namespace tegula
