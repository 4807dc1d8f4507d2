// Neighbouring elements combined with exclusive or: v[0], v[1] ^ v[0], v[2] ^ v[1] ...
//
// Written by TileDB (filter 16).
#pragma once

#include <cstddef>

#include "tegula/bytes.h"

namespace tegula::codec {

// `element_size` is 1, 2, 4 or 8. `in` and `out` have the same size, a multiple of it; otherwise the decoder throws
// corrupt and the encoder invalid_argument.
void xor_decode(ByteView in, MutableBytes out, std::size_t element_size);
void xor_encode(ByteView in, MutableBytes out, std::size_t element_size);

}  // namespace tegula::codec
