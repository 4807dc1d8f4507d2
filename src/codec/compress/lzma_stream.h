// LZMA streams: .xz files, the older .lzma files ("alone"), and raw chains of filters.
//
// Written by zarr ("lzma"), with the parameters of Python's lzma module.
#pragma once

#include <cstdint>
#include <span>

#include "tegula/bytes.h"

namespace tegula::codec {

// One filter of a raw LZMA chain: 3 delta {dist}, 33 LZMA2, 0x4000000000000001 LZMA1. Members at -1 take the preset's
// value.
struct LzmaFilter {
  std::uint64_t id = 33;
  int preset = -1;
  std::int64_t dist = -1, dict_size = -1, lc = -1, lp = -1, pb = -1, mode = -1, nice_len = -1, mf = -1, depth = -1;
};
struct LzmaParams {
  int format = 1;  // 1 xz, 2 alone, 3 raw
  int check = -1;  // 0 none, 1 crc32, 4 crc64, 10 sha256, -1 the default
  int preset = -1;
  std::span<const LzmaFilter> filters = {};
};

// Appends to `out`; throws corrupt for damage, trailing bytes, more than `limit` raw bytes, or a header that asks for a
// dictionary above 512 MiB. A raw stream needs the filters that wrote it.
void lzma_decode_stream(ByteView in, Bytes& out, std::uint64_t limit, const LzmaParams& params);
void lzma_encode_stream(ByteView in, Bytes& out, const LzmaParams& params);

}  // namespace tegula::codec
