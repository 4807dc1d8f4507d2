// Runs of equal cells: a cell of Params::cell_size bytes and a big-endian u16 run length, repeated.
//
// Written by TileDB (filter 4 on cells of fixed size). Text has a layout of its own: codec/text/text.h.
#pragma once

#include "codec/compress/compressors.h"

namespace tegula::codec {

void rle_decode(ByteView in, MutableBytes out, const Params& params);
void rle_encode(ByteView in, Bytes& out, const Params& params);

}  // namespace tegula::codec
