// Encodes __fragment_metadata.tdb: the lists of every field as generic tiles, then the footer that points to them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "format/tiledb/fragment/fragment.h"
#include "format/tiledb/fragment/tile_statistics.h"

namespace tegula::tiledb {

// The files and statistics of one field. Borrows everything.
struct WrittenField {
  const StoredField* field = nullptr;
  std::uint64_t file_size = 0, var_file_size = 0, validity_file_size = 0;
  std::span<const std::uint64_t> offsets, var_offsets, var_sizes, validity_offsets;  // by tile, where there are any
  std::span<const TileStatistics> statistics;
};

// A fragment whose data files are complete.
struct WrittenFragment {
  std::uint32_t version = 0;
  bool dense = true;
  std::string schema_name;
  NdRange domain;
  MbrTable rectangles;  // sparse: one per tile
  std::uint64_t tiles = 0;
  std::uint64_t last_tile_cells = 0;  // dense: cells of every tile
  std::vector<WrittenField> fields;   // without those that have no file
  bool timestamps = false, deletes = false;
  std::vector<std::string> processed;  // delete conditions that are applied to it already
};

// For versions 3 to 22.
Bytes encode_fragment_metadata(const WrittenFragment& fragment, const ArraySchema& schema, const Key& key);

}  // namespace tegula::tiledb
