// Bytes to bytes. Pure functions: no files, no threads, no tiles, no global state.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tegula/bytes.h"
#include "tegula/datatype.h"

namespace tegula::codec {

// What a codec may need to know beyond its bytes; each codec's file says which members it looks at.
struct Params {
  int level = -1;                  // -1: the codec's default
  std::uint32_t cell_size = 1;     // RLE: bytes of a cell
  std::uint32_t element_size = 1;  // shuffles: bytes of an element
};

// One compressor. The three functions throw Error(corrupt) for bad input and Error(invalid_argument) for bad
// parameters.
struct Compressor {
  std::string_view name;
  // Fills `out` exactly, consuming all of `in`, or throws.
  void (*decode)(ByteView in, MutableBytes out, const Params& params);
  // Appends to `out`.
  void (*encode)(ByteView in, Bytes& out, const Params& params);
};

// The whole registry: gzip (zlib framing), zstd, lz4, bzip2, rle. Null when unknown.
const Compressor* find_compressor(std::string_view name);
std::span<const Compressor> compressors();

}  // namespace tegula::codec
