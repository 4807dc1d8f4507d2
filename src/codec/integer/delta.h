// Transforms of integer sequences. `type` is one of TypeId's int8..int64, uint8..uint64; sizes must be multiples of it.
// Decoders fill `out` exactly or throw corrupt.
#pragma once

#include "tegula/bytes.h"
#include "tegula/datatype.h"

namespace tegula::codec {

// u64 count, first value, differences (TileDB filter 19). Bytes behind the counted values are ignored: libtiledb 2.16
// wrote some.
void delta_decode(ByteView in, MutableBytes out, TypeId type);
void delta_encode(ByteView in, Bytes& out, TypeId type);

// u8 bit size, u64 count, raw values or two values and bit-packed second differences (TileDB filter 6).
void double_delta_decode(ByteView in, MutableBytes out, TypeId type);
void double_delta_encode(ByteView in, Bytes& out, TypeId type);

// Differences inside one window, the first being 0 (TileDB filter 10). in and out have the same size; a window that
// does not hold whole values is copied.
void positive_delta_decode(ByteView in, MutableBytes out, TypeId type,
                           std::uint64_t first);                         // `first`: bits of the value
void positive_delta_encode(ByteView in, MutableBytes out, TypeId type);  // throws invalid_argument for a decrease

// One window of bit-width reduction (TileDB filter 7): integers of `bits` (8, 16, 32) plus an offset. Raw bytes when
// `bits` is not narrower than the type or the window does not hold whole values.
void bit_width_decode(ByteView in, MutableBytes out, TypeId type, std::uint64_t offset, unsigned bits);
struct BitWidth {
  std::uint64_t offset = 0;  // bits of the window's minimum
  unsigned bits = 0;         // 8 * size of the type: stored raw
};
BitWidth bit_width_choose(ByteView in, TypeId type);
void bit_width_encode(ByteView in, Bytes& out, TypeId type, const BitWidth& width);

// Element i becomes v[i] ^ v[i-1] (TileDB filter 16); element_size 1, 2, 4 or 8.
void xor_decode(ByteView in, MutableBytes out, std::size_t element_size);
void xor_encode(ByteView in, MutableBytes out, std::size_t element_size);

}  // namespace tegula::codec
