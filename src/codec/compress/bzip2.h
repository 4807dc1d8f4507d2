// One complete "BZh" stream.
//
// Written by TileDB (filter 5) and zarr ("bz2").
#pragma once

#include <cstdint>

#include "codec/compress/compressors.h"

namespace tegula::codec {

// Levels 1 to 9 are the block size in 100 kB; below means 1, above means 9. At most 4 GiB are encoded at once.
void bzip2_decode(ByteView in, MutableBytes out, const Params& params);
void bzip2_encode(ByteView in, Bytes& out, const Params& params);

// For streams of unknown raw size: appends to `out`; throws corrupt for damage, trailing bytes, or more than `limit`
// raw bytes.
void bzip2_decode_stream(ByteView in, Bytes& out, std::uint64_t limit);

}  // namespace tegula::codec
