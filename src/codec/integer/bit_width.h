// Integers of one window as narrower ones plus an offset.
//
// Written by TileDB (filter 7), which keeps offset and width in the metadata of the chunk.
#pragma once

#include <cstdint>

#include "tegula/bytes.h"
#include "tegula/datatype.h"

namespace tegula::codec {

struct BitWidth {
  std::uint64_t offset = 0;  // bits of the window's minimum
  unsigned bits = 0;         // 8, 16 or 32; from 8 * size of the type on the window is stored raw
};

// The narrowest width that holds the window. `type` is one of int8 .. int64, uint8 .. uint64, here and below.
BitWidth bit_width_choose(ByteView in, TypeId type);
// Appends the window; one that does not hold whole values is copied.
void bit_width_encode(ByteView in, Bytes& out, TypeId type, const BitWidth& width);
// Fills `out` exactly, consuming all of `in`, or throws corrupt.
void bit_width_decode(ByteView in, MutableBytes out, TypeId type, std::uint64_t offset, unsigned bits);

}  // namespace tegula::codec
