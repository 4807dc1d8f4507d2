// Differences of differences: u8 bit size, u64 count, then raw values, or two values and bit-packed second differences.
//
// Written by TileDB (filter 6).
#pragma once

#include "tegula/bytes.h"
#include "tegula/datatype.h"

namespace tegula::codec {

// `type` is one of int8 .. int64, uint8 .. uint64; any other throws invalid_argument, as does a size that is no
// multiple of it. The decoder fills `out` exactly, consuming all of `in`, or throws corrupt.
void double_delta_decode(ByteView in, MutableBytes out, TypeId type);
void double_delta_encode(ByteView in, Bytes& out, TypeId type);

}  // namespace tegula::codec
