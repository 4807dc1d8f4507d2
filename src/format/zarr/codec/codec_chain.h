// How the cells of a chunk become the bytes of a file, for every version: a permutation of axes, one array -> bytes
// codec, any number of bytes -> bytes steps.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codec/numcodecs/numcodecs.h"
#include "format/zarr/codec/byte_steps.h"
#include "tegula/bytes.h"
#include "tegula/datatype.h"
#include "tegula/schema.h"

namespace tegula::zarr {

using Shape = std::vector<std::uint64_t>;
using VariableCells = codec::numcodecs::Items;

enum class Serializer : std::uint8_t {
  bytes,     // the cells one after the other
  variable,  // vlen-utf8, vlen-bytes
  json,      // json2: read only
  sharding,  // a file of chunks with an index
};

struct Sharding;

struct CodecChain {
  std::vector<std::uint32_t>
      permutation;  // axis i of the serialized chunk is axis permutation[i] of the chunk; empty: none
  Serializer serializer = Serializer::bytes;
  bool swap = false;  // bytes: numbers are stored in the other byte order
  std::shared_ptr<const Sharding> sharding;
  std::vector<ByteStep> steps;  // in the order of encoding

  // Are the serialized bytes those of the cells in memory?
  bool plain() const { return permutation.empty() && serializer == Serializer::bytes && !swap; }
};

struct Sharding {
  Shape chunk_shape;
  CodecChain inner;
  CodecChain index;  // of fixed size
  bool index_at_end = true;
};

// What the cells of an array are. `fill` is one cell.
struct CellType {
  Datatype type;
  bool var = false;
  Bytes fill;
  std::size_t item() const { return var ? 0 : static_cast<std::size_t>(type.full_size()); }
};

// All functions throw corrupt for bytes that do not decode to exactly the cells of `shape`.
// Fills `out` with the cells in C order.
void decode_chunk(const CodecChain& chain, ByteView file, const Shape& shape, const CellType& cell, MutableBytes out);
// True when decode_range() may be used; it then decodes little more than the range.
bool decodes_ranges(const CodecChain& chain);
// Fills `out` with the cells from number `first` in C order on.
void decode_range(const CodecChain& chain, ByteView file, const Shape& shape, const CellType& cell, std::uint64_t first,
                  MutableBytes out);
Bytes encode_chunk(const CodecChain& chain, ByteView cells, const Shape& shape, const CellType& cell);

// decode_chunk() and encode_chunk() for cells of any length.
VariableCells decode_variable(const CodecChain& chain, ByteView file, const Shape& shape, const CellType& cell);
Bytes encode_variable(const CodecChain& chain, const VariableCells& items, const Shape& shape, const CellType& cell);

// Undoes all steps. `raw` is the size of the result where that is known.
Bytes decode_steps(std::span<const ByteStep> steps, ByteView file, std::optional<std::uint64_t> raw);
Bytes encode_steps(std::span<const ByteStep> steps, ByteView raw);
// Size of `raw` bytes after all steps; none when it depends on the bytes.
std::optional<std::uint64_t> encoded_size(std::span<const ByteStep> steps, std::uint64_t raw);

// Reverses the byte order of all numbers in the cells, in place.
void swap_cells(MutableBytes cells, const Datatype& type);

}  // namespace tegula::zarr
