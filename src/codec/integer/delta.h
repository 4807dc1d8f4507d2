// Differences of neighbouring integers: u64 count, first value, differences modulo 2^bits, all little-endian.
//
// Written by TileDB (filter 19).
#pragma once

#include "tegula/bytes.h"
#include "tegula/datatype.h"

namespace tegula::codec {

// `type` is one of int8 .. int64, uint8 .. uint64; any other throws invalid_argument, as does a size that is no
// multiple of it. The decoder fills `out` exactly or throws corrupt; it ignores bytes behind the counted values, which
// libtiledb 2.16 wrote.
void delta_decode(ByteView in, MutableBytes out, TypeId type);
void delta_encode(ByteView in, Bytes& out, TypeId type);

}  // namespace tegula::codec
