// The bytes -> bytes steps of every version, by the names that numcodecs gives them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "tegula/bytes.h"
#include "tegula/datatype.h"

namespace tegula::zarr {

// One bytes -> bytes step: a compressor, a checksum, or a filter of format 2, which works on flat numbers.
struct ByteStep {
  std::string name;
  // `out` is empty before. Appends at most `limit` bytes or throws corrupt.
  std::function<void(ByteView in, Bytes& out, std::uint64_t limit)> decode;
  std::function<void(ByteView in, Bytes& out)> encode;
  // The encoded size of `raw` bytes; null when it depends on their values.
  std::function<std::uint64_t(std::uint64_t raw)> encoded_size;
  // Fills `out`, whose size is the raw size; null: use decode.
  std::function<void(ByteView in, MutableBytes out)> decode_exact;
  // Fills `out` with the raw bytes from `offset` on, without decoding much else; null: not possible.
  std::function<void(ByteView in, std::uint64_t raw, std::uint64_t offset, MutableBytes out)> decode_range;
};

// Makes the step that numcodecs or format 3 calls `id`. `type` is the type of the numbers that the step encodes; it is
// set to the type of the result. Throws unsupported, naming it, for an unknown id.
ByteStep make_byte_step(std::string_view id, const Json& configuration, Datatype& type);

}  // namespace tegula::zarr
