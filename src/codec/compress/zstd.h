// zstd frames (RFC 8878) with the raw size in the header.
//
// Written by TileDB (filter 2) and Blosc (its zstd streams). Frames that may lack the raw size are in zstd_stream.h.
#pragma once

#include "codec/compress/compressors.h"

namespace tegula::codec {

// Levels from -7 on are zstd's own; lower ones mean 3.
void zstd_decode(ByteView in, MutableBytes out, const Params& params);
void zstd_encode(ByteView in, Bytes& out, const Params& params);

// True when `in` was consumed whole and filled `out` exactly; otherwise the content of `out` is unspecified.
bool zstd_decode_exact(ByteView in, MutableBytes out);

}  // namespace tegula::codec
