// Text of variable length, stored together with the boundaries of its cells: runs of equal strings (TileDB filter 4 on
// strings) and a dictionary (filter 14). Integers are big-endian, of 1, 2, 4 or 8 bytes.
#pragma once

#include <cstdint>
#include <span>

#include "tegula/bytes.h"

namespace tegula::codec {

// Decoders fill `data`, and `offsets` with the start of each cell, exactly, or throw corrupt. Encoders append to `out`
// or `ids`, return the widths they chose, and throw invalid_argument when `offsets` do not rise from 0 inside `data`.
void text_rle_decode(ByteView in, unsigned run_bytes, unsigned length_bytes, MutableBytes data,
                     std::span<std::uint64_t> offsets);
struct TextRle {
  unsigned run_bytes = 1, length_bytes = 1;
};
TextRle text_rle_encode(ByteView data, std::span<const std::uint64_t> offsets, Bytes& out);

void text_dictionary_decode(ByteView ids, ByteView dictionary, unsigned id_bytes, unsigned length_bytes,
                            MutableBytes data, std::span<std::uint64_t> offsets);
struct TextDictionary {
  unsigned id_bytes = 1, length_bytes = 1;
  Bytes dictionary;
};
TextDictionary text_dictionary_encode(ByteView data, std::span<const std::uint64_t> offsets, Bytes& ids);

}  // namespace tegula::codec
