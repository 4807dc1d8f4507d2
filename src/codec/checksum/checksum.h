// MD5, SHA-256, CRC-32, CRC-32C, Adler-32.
#pragma once

#include <array>
#include <cstdint>

#include "tegula/bytes.h"

namespace tegula::codec {

std::array<std::byte, 16> md5(ByteView data);
std::array<std::byte, 32> sha256(ByteView data);
std::uint32_t crc32(ByteView data);    // zlib's
std::uint32_t adler32(ByteView data);  // zlib's
std::uint32_t crc32c(ByteView data);   // Castagnoli, as zarr v3 appends it; hardware where there is one

// The one without special instructions, which the fast one is tested against.
namespace plain {
std::uint32_t crc32c(ByteView data);
}

}  // namespace tegula::codec
