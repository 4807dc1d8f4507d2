// Blosc 1 chunks: a 16-byte header, block offsets, blocks of one or several compressed streams, shuffled.
#pragma once

#include <cstdint>
#include <string_view>

#include "tegula/bytes.h"

namespace tegula::codec {

// The header, checked against the real length: 0 < block_size <= nbytes (or nbytes == 0), ctbytes <= chunk.size(), room
// for the offsets.
struct BloscHeader {
  std::uint8_t version = 0, version_lz = 0, flags = 0, typesize = 0;
  std::uint32_t nbytes = 0, block_size = 0, ctbytes = 0;
  bool plain_copy() const { return flags & 0x02; }
};
inline constexpr std::size_t kBloscHeaderSize = 16;

// Throws corrupt. Bytes behind ctbytes are allowed.
BloscHeader blosc_header(ByteView chunk);

struct BloscOptions {
  // Streams as long as their raw data are decoded when they decode exactly: C-Blosc 1.4.0 to 1.4.4 stored compressed
  // bytes there (formats: docs/format/bcolz.md).
  bool rescue = false;
};

// Fills `out`, which must have nbytes bytes.
void blosc_decode(ByteView chunk, MutableBytes out, const BloscOptions& options = {});
// Fills `out` with the bytes from `offset` on; decodes only the blocks that they touch. Throws invalid_argument for a
// range outside of the chunk.
void blosc_decode_range(ByteView chunk, std::uint64_t offset, MutableBytes out, const BloscOptions& options = {});

struct BloscParams {
  std::string_view cname = "lz4";  // blosclz, lz4, lz4hc, snappy, zlib, zstd
  int level = 5;                   // 0..9
  int shuffle = 1;                 // 0 none, 1 bytes, 2 bits
  std::uint32_t typesize = 1;
  std::uint32_t block_size = 0;  // 0: the library's choice
};
// Appends one chunk that every C-Blosc 1 reads. in.size() must stay below 2^31 - 16.
void blosc_encode(ByteView in, Bytes& out, const BloscParams& params);

}  // namespace tegula::codec
