// Fletcher's checksum of 32 bits, as HDF5 computes it.
//
// Written by HDF5 and by zarr ("fletcher32") behind a chunk.
#pragma once

#include <cstdint>

#include "tegula/bytes.h"

namespace tegula::codec {

// Of big-endian words of 16 bits; a last odd byte is the upper half of a word.
std::uint32_t fletcher32(ByteView data);

}  // namespace tegula::codec
