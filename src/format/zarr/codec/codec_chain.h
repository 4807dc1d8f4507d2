// How the cells of a chunk become the bytes of a file, for every version: a permutation of axes, one array -> bytes
// codec, any number of bytes -> bytes steps.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "codec/numcodecs/numcodecs.h"
#include "tegula/bytes.h"
#include "tegula/datatype.h"
#include "tegula/schema.h"

namespace tegula::zarr {

using Shape = std::vector<std::uint64_t>;
using Items = codec::numcodecs::Items;

// One bytes -> bytes step: a compressor, a checksum, or a filter of format 2, which works on flat numbers.
struct ByteStep {
  std::string name;
  // `out` comes empty. Fills it with at most `limit` bytes, or throws corrupt.
  std::function<void(ByteView in, Bytes& out, std::uint64_t limit)> decode;
  std::function<void(ByteView in, Bytes& out)> encode;
  // The size that `raw` bytes have when encoded; null when it depends on what they are.
  std::function<std::uint64_t(std::uint64_t raw)> encoded_size;
  // Fills `out`, whose size is the raw size; null: use decode.
  std::function<void(ByteView in, MutableBytes out)> decode_exact;
  // Fills `out` with raw bytes from `offset` on, decoding little else; null: cannot.
  std::function<void(ByteView in, std::uint64_t raw, std::uint64_t offset, MutableBytes out)> decode_range;
};

// Makes the step that numcodecs, or format 3, calls `id`. `type` is that of the numbers that enter the step when
// encoding, and becomes that of what leaves it. Throws unsupported for an unknown id, and names it.
ByteStep make_byte_step(std::string_view id, const Json& configuration, Datatype& type);

enum class Serializer : std::uint8_t {
  bytes,     // the cells one after the other
  items,     // vlen-utf8, vlen-bytes
  json,      // json2: read only
  sharding,  // a file of chunks with an index
};

struct Sharding;

struct CodecChain {
  std::vector<std::uint32_t>
      permutation;  // axis i of what is serialized is axis permutation[i] of the chunk; empty: none
  Serializer serializer = Serializer::bytes;
  bool swap = false;  // bytes: numbers are stored in the other byte order
  std::shared_ptr<const Sharding> sharding;
  std::vector<ByteStep> steps;  // in the order of encoding

  // Cells lie in the serialized bytes as they do in memory.
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
// True when the last function below decodes less than everything for a part of a chunk.
bool decodes_ranges(const CodecChain& chain);
// Fills `out` with the cells from number `first` in C order on.
void decode_range(const CodecChain& chain, ByteView file, const Shape& shape, const CellType& cell, std::uint64_t first,
                  MutableBytes out);
Bytes encode_chunk(const CodecChain& chain, ByteView cells, const Shape& shape, const CellType& cell);

// The same for cells of any length.
Items decode_items(const CodecChain& chain, ByteView file, const Shape& shape, const CellType& cell);
Bytes encode_items(const CodecChain& chain, const Items& items, const Shape& shape, const CellType& cell);

// The bytes -> bytes steps alone. `raw` is the size of the result where that is known.
Bytes decode_steps(std::span<const ByteStep> steps, ByteView file, std::optional<std::uint64_t> raw);
Bytes encode_steps(std::span<const ByteStep> steps, ByteView raw);
// Size of `raw` bytes after all steps; none when it depends on the bytes.
std::optional<std::uint64_t> encoded_size(std::span<const ByteStep> steps, std::uint64_t raw);

// Numbers to the other byte order, in place.
void swap_cells(MutableBytes cells, const Datatype& type);

}  // namespace tegula::zarr
