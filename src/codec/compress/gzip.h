// zlib streams (RFC 1950), which TileDB calls gzip: header, deflate blocks, big-endian Adler-32 of the raw bytes.
//
// Written by TileDB (filter 1), Blosc (its zlib streams) and zarr ("zlib"). Real gzip framing is in gzip_stream.h.
#pragma once

#include "codec/compress/compressors.h"

namespace tegula::codec {

// Levels below 0 mean 6, 0 stores, 9 is the highest.
void gzip_decode(ByteView in, MutableBytes out, const Params& params);
void gzip_encode(ByteView in, Bytes& out, const Params& params);

// True when `in` was consumed whole and filled `out` exactly; otherwise the content of `out` is unspecified.
bool zlib_decode_exact(ByteView in, MutableBytes out);

}  // namespace tegula::codec
