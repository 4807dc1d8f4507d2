// Codings of variable-length text that carry the cell boundaries (TileDB filters 4 and 14 on strings). Integers are
// big-endian.
#pragma once

#include <cstdint>
#include <span>

#include "tegula/bytes.h"

namespace tegula::codec {

// Fills `data` and the start offset of each cell in `offsets` exactly, or throws corrupt.
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
