// Bob Jenkins' hash lookup3 ("hashlittle"), which HDF5 uses as a checksum.
//
// Written by zarr ("jenkins_lookup3") behind a chunk.
#pragma once

#include <cstdint>

#include "tegula/bytes.h"

namespace tegula::codec {

std::uint32_t lookup3(ByteView data, std::uint32_t seed);

}  // namespace tegula::codec
