// Decoder of blosclz, the compressor that only Blosc has.
#pragma once

#include "tegula/bytes.h"

namespace tegula::codec {

// True when `in` was consumed whole and filled `out` exactly; otherwise `out` holds anything.
bool blosclz_decode_exact(ByteView in, MutableBytes out);

}  // namespace tegula::codec
