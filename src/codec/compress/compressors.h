// The functions that the registry (codec.cc) lists; each pair lives in the file named after it.
#pragma once

#include "codec/compress/codec.h"

namespace tegula::codec {

void gzip_decode(ByteView in, MutableBytes out, const Params& params);
void gzip_encode(ByteView in, Bytes& out, const Params& params);
void zstd_decode(ByteView in, MutableBytes out, const Params& params);
void zstd_encode(ByteView in, Bytes& out, const Params& params);
void lz4_decode(ByteView in, MutableBytes out, const Params& params);
void lz4_encode(ByteView in, Bytes& out, const Params& params);
void bzip2_decode(ByteView in, MutableBytes out, const Params& params);
void bzip2_encode(ByteView in, Bytes& out, const Params& params);
void rle_decode(ByteView in, MutableBytes out, const Params& params);
void rle_encode(ByteView in, Bytes& out, const Params& params);

}  // namespace tegula::codec
