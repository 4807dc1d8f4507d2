// The bare decoders behind compressors and Blosc blocks: they report damage by return value, so that a hot loop throws
// once, outside.
#pragma once

#include "tegula/bytes.h"

namespace tegula::codec {

// Each returns true when `in` was consumed whole and filled `out` exactly; otherwise `out` holds anything.
bool zlib_decode_exact(ByteView in, MutableBytes out);
bool zstd_decode_exact(ByteView in, MutableBytes out);
bool lz4_decode_exact(ByteView in, MutableBytes out);

}  // namespace tegula::codec
