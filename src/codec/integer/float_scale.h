// Floats as scaled integers (TileDB filter 15).
#pragma once

#include "tegula/bytes.h"

namespace tegula::codec {

struct FloatScale {
  double scale = 1, offset = 0;
  unsigned byte_width = 8;  // 1, 2, 4, 8
  unsigned float_size = 8;  // 4 or 8
};
// in: integers of byte_width; out: floats of float_size, as many.
void float_scale_decode(ByteView in, MutableBytes out, const FloatScale& params);
void float_scale_encode(ByteView in, MutableBytes out, const FloatScale& params);

}  // namespace tegula::codec
