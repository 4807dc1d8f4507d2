// MD5, SHA-256, CRC-32, Adler-32. CRC-32C, Fletcher-32 and lookup3 have headers of their own.
#pragma once

#include <array>
#include <cstdint>

#include "tegula/bytes.h"

namespace tegula::codec {

std::array<std::byte, 16> md5(ByteView data);
std::array<std::byte, 32> sha256(ByteView data);
std::uint32_t crc32(ByteView data);  // as in zlib
// Of these bytes behind others, whose CRC-32 is `before`.
std::uint32_t crc32(ByteView data, std::uint32_t before);
std::uint32_t adler32(ByteView data);  // as in zlib

}  // namespace tegula::codec
