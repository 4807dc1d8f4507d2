// Space tiles of a dense array, and selections along its axes. Coordinates are counted from the start of the domain.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "format/tiledb/disk/array_schema.h"
#include "tegula/selection.h"

namespace tegula::tiledb {

struct DenseGrid {
  std::vector<Datatype> types;
  std::vector<std::uint64_t> low;     // of the domain, as an ordered integer
  std::vector<std::uint64_t> last;    // largest coordinate
  std::vector<std::uint64_t> extent;  // cells of a tile
  std::vector<std::uint64_t> stride;  // in cells, inside of a tile
  std::vector<std::size_t> order;     // dimensions by decreasing stride
  std::uint64_t tile_cells = 1;
  Order tile_order = Order::row, cell_order = Order::row;

  std::size_t dimensions() const { return low.size(); }
  // Coordinate of a value of dimension d; none outside of the domain.
  std::optional<std::uint64_t> index(std::size_t d, const Value& value) const;
  // The bytes of a coordinate.
  void value(std::size_t d, std::uint64_t index, std::byte* out) const;
};

DenseGrid make_grid(const ArraySchema& schema);

// Some of the coordinates of an axis: start, start + step, ... go to out, out + out_step, ... of the result.
struct Run {
  std::uint64_t start = 0, step = 1, count = 0;
  std::uint64_t out = 0;
  std::int64_t out_step = 1;
  std::uint64_t at(std::uint64_t i) const { return start + i * step; }
};

struct AxisRuns {
  std::vector<Run> runs;
  std::uint64_t length = 0;  // of the result
};

AxisRuns runs_of(const AxisPick& pick);
// Appends the coordinates low .. high.
void add_run(AxisRuns& axis, std::uint64_t low, std::uint64_t high);
// The runs that give the part first .. first + count of the result; places in the result count from `first`.
AxisRuns cut(const AxisRuns& axis, std::uint64_t first, std::uint64_t count);

// The parts of runs that lie in one tile; `Run::start` counts from the start of the tile.
struct TilePart {
  std::uint64_t tile = 0;
  std::vector<Run> runs;
};
// Splits all runs at tile boundaries; tiles are in rising order.
std::vector<TilePart> split_by_tile(const AxisRuns& axis, std::uint64_t extent);

}  // namespace tegula::tiledb
