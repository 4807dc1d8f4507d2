// The payloads of the generic tiles in __fragment_metadata.tdb.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/cursor.h"
#include "format/tiledb/disk/array_schema.h"
#include "format/tiledb/disk/nd_range.h"
#include "tegula/bytes.h"

namespace tegula::tiledb {

// Minima or maxima of the tiles of a field.
struct TileExtremes {
  Bytes fixed, var;
  std::uint64_t cell = 0;  // bytes per tile in `fixed`; 0: there are none
  bool is_var = false;     // `fixed` holds u64 offsets into `var`
  bool present() const { return cell != 0; }
  ByteView at(std::uint64_t tile) const;
};

struct FieldStatistics {  // of a whole fragment
  Bytes min, max;         // empty: none
  std::uint64_t sum = 0;  // bits of int64, uint64 or double
  std::uint64_t null_count = 0;
};

// u64 count, numbers.
std::vector<std::uint64_t> decode_numbers(Cursor in);
void encode_numbers(std::span<const std::uint64_t> numbers, Bytes& out);
// u64 length of the fixed bytes, u64 length of the variable bytes, then both. Checked against `tiles` and `is_var`.
TileExtremes decode_extremes(Cursor in, std::uint64_t tiles, bool is_var);
void encode_extremes(const TileExtremes& extremes, Bytes& out);
std::vector<FieldStatistics> decode_statistics(Cursor in, std::size_t slots);
void encode_statistics(std::span<const FieldStatistics> statistics, Bytes& out);
// u64 count, str64 each.
std::vector<std::string> decode_processed(Cursor in);
void encode_processed(std::span<const std::string> markers, Bytes& out);

// All metadata of a fragment of versions 1 and 2, which have it in one generic tile.
struct MonolithicMetadata {
  std::uint32_t version = 0;
  NdRange domain;  // empty: none
  MbrTable rectangles;
  std::vector<std::vector<std::uint64_t>> tile_offsets;  // attributes, then coordinates
  std::vector<std::vector<std::uint64_t>> var_offsets, var_sizes;
  std::uint64_t last_tile_cells = 0;
  std::vector<std::uint64_t> file_sizes, var_file_sizes;
};
MonolithicMetadata decode_monolithic(Cursor in, const ArraySchema& schema);

}  // namespace tegula::tiledb
