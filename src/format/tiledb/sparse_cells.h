// The cells of a sparse result: found, put in order, freed of those that others hide or that were deleted.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "format/tiledb/sparse_tiles.h"
#include "tegula/bytes.h"
#include "tegula/columns.h"
#include "tegula/work.h"

namespace tegula::tiledb {

// Candidates, tile by tile. A candidate is a cell in the ranges and in the window of time.
struct SparseCells {
  std::vector<SparseTile> tiles;
  std::vector<std::uint64_t> first;  // per tile, and the end: its candidates
  Buffer<std::uint32_t> cell;        // of each candidate, in its tile
  std::vector<Column> coordinates;   // by dimension; empty when nobody needs them
  Buffer<std::uint64_t> times;       // when cells were written; empty when nobody needs them
  Buffer<std::uint8_t> keep;         // 0: hidden, deleted or not matching

  std::uint64_t count() const { return cell.size(); }
};

// Loads coordinates where they decide anything.
SparseCells find_cells(const SparseQuery& query, const RangeSet& ranges, std::vector<SparseTile> tiles,
                       const Work& work);
// Clears `keep` of all but the newest of the cells at one place. `order` holds the candidates sorted by place.
void hide_older(SparseCells& cells, std::span<const std::uint64_t> order, const ReadState& state, const Work& work);
// Clears `keep` of the cells that a delete removed or that the query's condition does not match.
void apply_conditions(const SparseQuery& query, SparseCells& cells, const Work& work);

// All of it: the candidates that make the result, in its order.
Buffer<std::uint64_t> result_order(const SparseQuery& query, SparseCells& cells, const Work& work);

// Columns of the result; `order` as above.
std::vector<Column> gather_fields(const SparseQuery& query, const SparseCells& cells,
                                  std::span<const std::uint64_t> order, std::span<const FieldInfo> fields,
                                  const Work& work);

// Runs of tiles that may be loaded together: [begin, end) pairs, each below `limit` bytes or a single tile.
std::vector<std::pair<std::size_t, std::size_t>> slabs(std::size_t tiles, std::uint64_t limit,
                                                       const std::function<std::uint64_t(std::size_t)>& bytes);

}  // namespace tegula::tiledb
