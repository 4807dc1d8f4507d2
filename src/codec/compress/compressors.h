// The compressors that formats look up by name. All codecs are pure functions from bytes to bytes: no files, no
// threads, no global state.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tegula/bytes.h"
#include "tegula/datatype.h"

namespace tegula::codec {

// What a codec may need to know besides its bytes; the header of each codec says which members it uses.
struct Params {
  int level = -1;               // -1: the codec's default
  std::uint32_t cell_size = 1;  // RLE: bytes of a cell
};

// One compressor. Both functions throw corrupt for bad input and invalid_argument for bad parameters.
struct Compressor {
  std::string_view name;
  // Fills `out` exactly, consuming all of `in`, or throws.
  void (*decode)(ByteView in, MutableBytes out, const Params& params);
  // Appends to `out`.
  void (*encode)(ByteView in, Bytes& out, const Params& params);
};

// All of them: gzip (zlib framing), zstd, lz4, bzip2, rle.
std::span<const Compressor> compressors();
// Null for an unknown name.
const Compressor* find_compressor(std::string_view name);

}  // namespace tegula::codec
