// Compressed streams that do not tell their raw size, as zarr stores them: the output grows, up to a limit.
#pragma once

#include <cstdint>
#include <span>

#include "tegula/bytes.h"

namespace tegula::codec {

// Each decodes one whole stream and appends to `out`; throws corrupt for damage, trailing bytes, or more than `limit`
// bytes.
void zlib_decode_stream(ByteView in, Bytes& out, std::uint64_t limit);
void gzip_decode_stream(ByteView in, Bytes& out, std::uint64_t limit);  // RFC 1952, several members allowed
void gzip_encode_stream(ByteView in, Bytes& out, int level);
void zstd_decode_stream(ByteView in, Bytes& out, std::uint64_t limit);
// Fills `out` with raw bytes from `offset` on, of frames that hold `raw` bytes in all. A frame with a checksum is
// decoded whole and checked; of others what lies behind `out` is not looked at.
void zstd_decode_range(ByteView in, std::uint64_t raw, std::uint64_t offset, MutableBytes out);
void zstd_encode_stream(ByteView in, Bytes& out, int level, bool checksum);
void bzip2_decode_stream(ByteView in, Bytes& out, std::uint64_t limit);
void lz4_frame_decode_stream(ByteView in, Bytes& out, std::uint64_t limit);  // the framed format of .lz4 files

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
void lzma_decode_stream(ByteView in, Bytes& out, std::uint64_t limit, const LzmaParams& params);
void lzma_encode_stream(ByteView in, Bytes& out, const LzmaParams& params);

}  // namespace tegula::codec
