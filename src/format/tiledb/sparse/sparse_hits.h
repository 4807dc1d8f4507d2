// The cells of sparse tiles that a query sees: its hits.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "format/tiledb/sparse/sparse_tiles.h"
#include "tegula/bytes.h"
#include "tegula/work.h"

namespace tegula::tiledb {

// The hits of one tile.
struct TileHits {
  std::uint64_t first = 0, count = 0;  // numbered through all tiles
  bool all = false;                    // every cell
  std::vector<std::uint32_t> cells;    // rising; empty when `all`
  std::uint32_t cell(std::uint64_t i) const { return all ? static_cast<std::uint32_t>(i) : cells[i]; }
};

struct SparseHits {
  std::vector<SparseTile> tiles;
  std::vector<TileHits> hits;   // by tile
  Buffer<std::uint64_t> times;  // when each was written; empty when not needed
  // Values that were decoded while the hits were found, by tile; without cells where none were.
  struct Kept {
    std::string field;
    std::vector<TileData> tiles;
  };
  std::vector<Kept> kept;

  std::uint64_t count() const { return hits.empty() ? 0 : hits.back().first + hits.back().count; }
};

struct HitOptions {
  bool conditions = true;                // apply deletes and the condition
  bool times = false;                    // fill SparseHits::times where fragments have them
  std::span<const FieldInfo> keep = {};  // fields that will be read
};
// The cells of a part that are visible in the window of time. Loads only the fields that decide.
SparseHits find_hits(const SparseQuery& query, SparsePart part, const HitOptions& options, const Work& work);
// Keeps only the hits first .. first + count.
void cut_hits(SparseHits& hits, std::uint64_t first, std::uint64_t count);
// Keeps only the hits whose byte is not 0.
void keep_hits(SparseHits& hits, std::span<const std::uint8_t> keep);

}  // namespace tegula::tiledb
