// A list of filters as schemas and generic tiles store it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/cursor.h"
#include "codec/webp.h"
#include "tegula/schema.h"

namespace tegula::tiledb {

// The values are the codes in the files.
enum class FilterType : std::uint8_t {
  none = 0,
  gzip = 1,
  zstd = 2,
  lz4 = 3,
  rle = 4,
  bzip2 = 5,
  double_delta = 6,
  bit_width = 7,
  bitshuffle = 8,
  byteshuffle = 9,
  positive_delta = 10,
  aes_gcm = 11,
  md5 = 12,
  sha256 = 13,
  dictionary = 14,
  scale_float = 15,
  xor_elements = 16,
  bitsort = 17,
  webp = 18,
  delta = 19,
};

inline constexpr std::uint8_t kTypeAny = 17;  // datatype code ANY: "do not reinterpret"

// One filter. Only the members that belong to its type have a meaning.
struct FilterStep {
  FilterType type = FilterType::none;
  std::int32_t level = -1;              // compressors
  std::uint8_t reinterpret = kTypeAny;  // delta, double delta: datatype code
  std::uint32_t window = 0;             // bit width, positive delta: bytes
  double scale = 1, offset = 0;         // float scale
  std::uint64_t byte_width = 8;
  float quality = 100;  // webp
  codec::PixelFormat pixels = codec::PixelFormat::none;
  bool lossless = false;
  std::uint16_t rows = 0, row_bytes = 0;  // extents of the tile
  friend bool operator==(const FilterStep&, const FilterStep&) = default;
};

struct Pipeline {
  std::uint32_t max_chunk_size = 65536;
  std::vector<FilterStep> steps;
  bool has(FilterType type) const;
  friend bool operator==(const Pipeline&, const Pipeline&) = default;
};

// Throws corrupt, or unsupported for an unknown filter.
Pipeline decode_pipeline(Cursor& in);
// `version`, of the schema or library, decides which options are stored.
void encode_pipeline(const Pipeline& pipeline, std::uint32_t version, Bytes& out);

// "zstd", "bit_width_reduction", "checksum_md5"; empty for a code that is not known.
std::string_view filter_name(FilterType type);

// To the model and back; the names of options are level, window, reinterpret, byte_width, factor, offset, quality,
// format, lossless. from_model throws invalid_argument for a filter or option that TileDB lacks.
std::vector<Filter> to_model(const Pipeline& pipeline);
Pipeline from_model(std::span<const Filter> filters, std::uint32_t max_chunk_size = 65536);

}  // namespace tegula::tiledb
