// Floats as scaled integers; lossy.
//
// Written by TileDB (filter 15).
#pragma once

#include "tegula/bytes.h"

namespace tegula::codec {

struct FloatScale {
  double scale = 1, offset = 0;
  unsigned byte_width = 8;  // 1, 2, 4, 8
  unsigned float_size = 8;  // 4 or 8
};
// `in` holds integers of byte_width bytes, `out` as many floats of float_size bytes; throws corrupt when the sizes
// differ.
void float_scale_decode(ByteView in, MutableBytes out, const FloatScale& params);
// The other way round. Throws invalid_argument for a value that the integers cannot hold.
void float_scale_encode(ByteView in, MutableBytes out, const FloatScale& params);

}  // namespace tegula::codec
