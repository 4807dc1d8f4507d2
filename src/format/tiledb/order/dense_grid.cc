#include "format/tiledb/order/dense_grid.h"

#include <algorithm>
#include <map>

#include "base/fail.h"
#include "format/tiledb/disk/ordered_bits.h"

namespace tegula::tiledb {

DenseGrid make_grid(const ArraySchema& schema) {
  DenseGrid grid;
  const std::size_t n = schema.dimensions.size();
  grid.tile_order = schema.tile_order;
  grid.cell_order = schema.cell_order;
  for (const SchemaDimension& dimension : schema.dimensions) {
    const std::uint64_t low = to_ordered(dimension.type, dimension.domain.data());
    const std::uint64_t high = to_ordered(dimension.type, dimension.domain.data() + dimension.type.size);
    std::uint64_t extent = 0;
    if (!dimension.extent.empty())
      extent = with_number(dimension.type, [&]<class T>(T) -> std::uint64_t {
        if constexpr (std::is_integral_v<T>)
          return static_cast<std::make_unsigned_t<T>>(load_le<T>(dimension.extent.data()));
        else
          return 0;
      });
    if (extent == 0) extent = high - low == UINT64_MAX ? UINT64_MAX : high - low + 1;
    grid.types.push_back(dimension.type);
    grid.low.push_back(low);
    grid.last.push_back(high - low);
    grid.extent.push_back(extent);
  }
  grid.stride.resize(n);
  grid.order.resize(n);
  for (std::size_t i = 0; i < n; ++i) grid.order[i] = schema.cell_order == Order::col ? n - 1 - i : i;
  for (std::size_t i = n; i-- > 0;) {
    const std::size_t d = grid.order[i];
    grid.stride[d] = grid.tile_cells;
    if (grid.extent[d] > (std::uint64_t{1} << 62) / grid.tile_cells)
      fail(ErrorKind::unsupported, "a tile has more than 2^62 cells");
    grid.tile_cells *= grid.extent[d];
  }
  return grid;
}

std::optional<std::uint64_t> DenseGrid::index(std::size_t d, const Value& value) const {
  Bytes bytes;
  value_to_bytes(types[d], value, bytes);
  const std::uint64_t ordered = to_ordered(types[d], bytes.data());
  if (ordered < low[d] || ordered - low[d] > last[d]) return std::nullopt;
  return ordered - low[d];
}

void DenseGrid::value(std::size_t d, std::uint64_t index, std::byte* out) const {
  from_ordered(types[d], low[d] + index, out);
}

void add_run(AxisRuns& axis, std::uint64_t low, std::uint64_t high) {
  const std::uint64_t count = high - low + 1;
  if (count == 0 || axis.length + count < count)
    fail(ErrorKind::invalid_argument, "a selection of more than 2^64 cells along one axis");
  axis.runs.push_back({low, 1, count, axis.length, 1});
  axis.length += count;
}

AxisRuns runs_of(const AxisPick& pick) {
  AxisRuns axis;
  if (pick.indices.empty()) {
    if (pick.count == 0) return axis;
    Run run{static_cast<std::uint64_t>(pick.start), 1, pick.count, 0, 1};
    if (pick.step >= 0) {
      run.step = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(pick.step));
    } else {  // walked upwards in the array, downwards in the result
      run.start = pick.at(pick.count - 1);
      run.step = static_cast<std::uint64_t>(-pick.step);
      run.out = pick.count - 1;
      run.out_step = -1;
    }
    axis.runs.push_back(run);
    axis.length = pick.count;
    return axis;
  }
  for (const std::uint64_t index : pick.indices) {
    if (!axis.runs.empty() && axis.runs.back().at(axis.runs.back().count) == index)
      ++axis.runs.back().count;
    else
      axis.runs.push_back({index, 1, 1, axis.length, 1});
    ++axis.length;
  }
  return axis;
}

AxisRuns cut(const AxisRuns& axis, std::uint64_t first, std::uint64_t count) {
  AxisRuns result;
  result.length = count;
  for (const Run& run : axis.runs) {
    const std::uint64_t low = run.out_step > 0 ? run.out : run.out - (run.count - 1);
    const std::uint64_t begin = std::max(low, first), end = std::min(low + run.count, first + count);
    if (begin >= end) continue;
    Run part = run;
    part.count = end - begin;
    const std::uint64_t skipped = run.out_step > 0 ? begin - low : low + run.count - end;
    part.start = run.at(skipped);
    part.out = (run.out_step > 0 ? begin : end - 1) - first;
    result.runs.push_back(part);
  }
  return result;
}

std::vector<TilePart> split_by_tile(const AxisRuns& axis, std::uint64_t extent) {
  std::map<std::uint64_t, std::vector<Run>> tiles;
  for (const Run& run : axis.runs) {
    for (std::uint64_t i = 0; i < run.count;) {
      const std::uint64_t tile = run.at(i) / extent, begin = tile * extent;
      const std::uint64_t in_tile = run.at(i) - begin;
      const std::uint64_t count = std::min(run.count - i, (extent - 1 - in_tile) / run.step + 1);
      Run part{in_tile, run.step, count, run.out, run.out_step};
      part.out += static_cast<std::uint64_t>(static_cast<std::int64_t>(i) * run.out_step);
      tiles[tile].push_back(part);
      i += count;
    }
  }
  std::vector<TilePart> parts;
  parts.reserve(tiles.size());
  for (auto& [tile, runs] : tiles) parts.push_back({tile, std::move(runs)});
  return parts;
}

}  // namespace tegula::tiledb
