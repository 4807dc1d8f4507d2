// zstd frames (RFC 8878) that may lack their raw size.
//
// Written by zarr ("zstd", version 3 with an optional checksum) and Arrow.
#pragma once

#include <cstdint>

#include "tegula/bytes.h"

namespace tegula::codec {

// Appends to `out`; throws corrupt for damage, trailing bytes, or more than `limit` raw bytes.
void zstd_decode_stream(ByteView in, Bytes& out, std::uint64_t limit);
// Fills `out` with the raw bytes from `offset` on, of frames that hold `raw` bytes in all. A frame with a checksum is
// decoded whole and checked; damage behind the range may otherwise go unnoticed.
void zstd_decode_range(ByteView in, std::uint64_t raw, std::uint64_t offset, MutableBytes out);
// Appends one frame with its raw size.
void zstd_encode_stream(ByteView in, Bytes& out, int level, bool checksum);

}  // namespace tegula::codec
