// Raw LZ4 blocks: no frame, no magic number, no size, no checksum.
//
// Written by TileDB (filter 3), Blosc (its lz4 and lz4hc streams) and, behind a u32 with the raw size, zarr ("lz4").
// The framed format of .lz4 files is in lz4_frame.h.
#pragma once

#include "codec/compress/compressors.h"

namespace tegula::codec {

// The level is ignored. A block holds at most about 1.98 GiB of raw bytes; more throws invalid_argument.
void lz4_decode(ByteView in, MutableBytes out, const Params& params);
void lz4_encode(ByteView in, Bytes& out, const Params& params);

// True when `in` was consumed whole and filled `out` exactly; otherwise the content of `out` is unspecified.
bool lz4_decode_exact(ByteView in, MutableBytes out);

}  // namespace tegula::codec
