// LZ4 frames: LZ4 blocks between a magic number, sizes and checksums.
//
// Written by Arrow (compressed buffers) and the lz4 command (.lz4 files).
#pragma once

#include <cstdint>

#include "tegula/bytes.h"

namespace tegula::codec {

// Decodes one frame and appends to `out`; throws corrupt for damage, trailing bytes, or more than `limit` raw bytes.
void lz4_frame_decode_stream(ByteView in, Bytes& out, std::uint64_t limit);

}  // namespace tegula::codec
