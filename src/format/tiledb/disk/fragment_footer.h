// The end of __fragment_metadata.tdb from version 3 on: what the fragment covers and where its other metadata lies.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/cursor.h"
#include "format/tiledb/disk/array_schema.h"
#include "format/tiledb/disk/nd_range.h"

namespace tegula::tiledb {

// Sizes and positions of one field. Positions are offsets of generic tiles in the metadata file.
struct FooterSlot {
  std::uint64_t file_size = 0, var_file_size = 0, validity_file_size = 0;
  std::uint64_t tile_offsets = 0, var_offsets = 0, var_sizes = 0, validity_offsets = 0;
  std::uint64_t mins = 0, maxs = 0, sums = 0, null_counts = 0;
};

// Offsets of the tiles with the first and last coordinates of each tile (version 23).
struct GlobalOrderBounds {
  std::vector<std::uint64_t> mins, maxs;  // per dimension; empty: none
};

struct FragmentFooter {
  std::uint32_t version = 0;
  std::string schema_name;  // file name; empty before version 10
  bool dense = true;
  bool no_domain = false;
  NdRange domain;
  std::uint64_t sparse_tiles = 0;
  std::uint64_t last_tile_cells = 0;  // dense: cells of every tile
  bool has_timestamps = false;
  bool has_deletes = false;
  // Attributes, coordinates, then (version 5 on) dimensions, timestamps, delete times, delete conditions.
  std::vector<FooterSlot> slots;
  std::uint64_t rtree = 0, statistics = 0, processed_conditions = 0;
  GlobalOrderBounds bounds;
};

// The number of slots. In versions 3 and 4 the lists of variable parts are one shorter.
std::size_t slot_count(const ArraySchema& schema, std::uint32_t version, bool timestamps, bool deletes);
// Size of a footer that has no length field: versions 3 to 9 with fixed-size dimensions only. `version` comes from the
// name of the fragment.
std::uint64_t footer_size(const ArraySchema& schema, std::uint32_t version);

// The beginning of a footer: what it takes to find the schema.
struct FooterHead {
  std::uint32_t version = 0;
  std::string schema_name;
};
FooterHead decode_footer_head(Cursor in);
// `in` spans the footer without its trailing length. Throws corrupt, or unsupported for a newer version.
FragmentFooter decode_footer(Cursor in, const ArraySchema& schema);
void encode_footer(const FragmentFooter& footer, const ArraySchema& schema, Bytes& out);

}  // namespace tegula::tiledb
