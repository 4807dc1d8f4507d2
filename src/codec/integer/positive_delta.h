// Differences of integers that never decrease, inside one window: the first is 0, the first value is stored elsewhere.
//
// Written by TileDB (filter 10).
#pragma once

#include <cstdint>

#include "tegula/bytes.h"
#include "tegula/datatype.h"

namespace tegula::codec {

// `type` is one of int8 .. int64, uint8 .. uint64. `in` and `out` have the same size (corrupt otherwise); a window that
// does not hold whole values is copied. `first` holds the bits of the first value.
void positive_delta_decode(ByteView in, MutableBytes out, TypeId type, std::uint64_t first);
// Throws invalid_argument when a value is less than the one before it.
void positive_delta_encode(ByteView in, MutableBytes out, TypeId type);

}  // namespace tegula::codec
