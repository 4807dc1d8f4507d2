// Raw deflate (RFC 1951), and libdeflate's objects of the calling thread, made at first use and freed with the thread.
#pragma once

#include <libdeflate.h>

#include <cstdint>

#include "tegula/bytes.h"

namespace tegula::codec {

libdeflate_decompressor* thread_inflater();
// `level` as zlib counts: below 0 means 6, 0 stores, 9 is the highest. Throws invalid_argument above 9.
libdeflate_compressor* thread_deflater(int level);

// Raw bytes that one byte of deflate can stand for, rounded up.
inline constexpr std::uint64_t kMostDeflateGain = 1040;
// True when `in` was consumed whole and filled `out` exactly; otherwise the content of `out` is unspecified.
bool deflate_decode_exact(ByteView in, MutableBytes out);

}  // namespace tegula::codec
