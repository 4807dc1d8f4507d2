// CRC-32C (Castagnoli), as zarr v3 appends it to chunks and shard indexes.
#pragma once

#include <cstdint>

#include "tegula/bytes.h"

namespace tegula::codec {

// Uses the processor's instruction where there is one.
std::uint32_t crc32c(ByteView data);

// The same without special instructions, to test the fast one against.
namespace plain {
std::uint32_t crc32c(ByteView data);
}

}  // namespace tegula::codec
