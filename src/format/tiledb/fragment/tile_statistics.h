// Minima, maxima, sums and null counts of the cells of a tile, and of a fragment from those of its tiles.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "format/tiledb/disk/fragment_lists.h"
#include "format/tiledb/fragment/fragment.h"
#include "tegula/bytes.h"

namespace tegula::tiledb {

// Which statistics the format has for a field.
struct StatisticsKind {
  bool extremes = false, sums = false, null_counts = false;
};
StatisticsKind statistics_kind(const StoredField& field);
// The same by type and number of values alone, whatever kind of field it is.
bool type_has_extremes(const Datatype& type, std::uint32_t values_per_cell);
bool type_has_sums(const Datatype& type, std::uint32_t values_per_cell);

struct CellRun {
  std::uint64_t begin = 0, count = 0;
};

// Cells of one tile of one field.
struct TileColumn {
  Bytes data;                     // cells one after the other, or variable bytes
  Buffer<std::uint64_t> offsets;  // variable fields: start of each cell
  Bytes validity;                 // nullable fields
  std::vector<CellRun> counted;   // cells that statistics count; empty: all
  void clear() {                  // keeps the memory
    data.clear();
    offsets.clear();
    validity.clear();
    counted.clear();
  }
};

struct TileStatistics {
  bool any = false;       // a cell that is not null
  Bytes min, max;         // zeros (fixed) or empty (variable) without such a cell
  std::uint64_t sum = 0;  // bits of int64, uint64 or double
  std::uint64_t null_count = 0;
};
TileStatistics tile_statistics(const StoredField& field, const TileColumn& column);

// The statistics of all these tiles together.
FieldStatistics fragment_statistics(const StoredField& field, std::span<const TileStatistics> tiles);

}  // namespace tegula::tiledb
