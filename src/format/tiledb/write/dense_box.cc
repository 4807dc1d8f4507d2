#include "format/tiledb/write/dense_box.h"

#include <algorithm>

#include "base/fail.h"
#include "model/strided.h"

namespace tegula::tiledb {

void check_current_domain(const ArraySchema& schema, const DenseBox& box) {
  if (!schema.current_domain) return;
  const DenseGrid grid = make_grid(schema);
  for (std::size_t d = 0; d < box.first.size(); ++d) {
    if (box.count[d] == 0) continue;
    const Range& range = (*schema.current_domain)[d];
    const std::optional<std::uint64_t> low = grid.index(d, range.low), high = grid.index(d, range.high);
    if (!low || !high || box.first[d] < *low || box.first[d] + (box.count[d] - 1) > *high)
      fail(ErrorKind::invalid_argument,
           "cells {} to {} of dimension '{}' are outside of the current domain, which is cells {} to {}", box.first[d],
           box.first[d] + (box.count[d] - 1), schema.dimensions[d].name, low.value_or(0), high.value_or(0));
  }
}

std::vector<std::uint64_t> DenseBox::shape() const {
  std::vector<std::uint64_t> shape;
  for (std::size_t d = 0; d < count.size(); ++d)
    if (!dropped[d]) shape.push_back(count[d]);
  return shape;
}

std::uint64_t DenseBox::cells() const { return cell_count(count); }

namespace {

std::int64_t step_at(const AxisPick& pick, std::uint64_t i) {
  return static_cast<std::int64_t>(pick.at(i)) - static_cast<std::int64_t>(pick.at(i - 1));
}

bool is_reversed(const AxisPick& pick) { return pick.count > 1 && step_at(pick, 1) == -1; }

bool has_gaps(const AxisPick& pick) {
  const std::int64_t step = is_reversed(pick) ? -1 : 1;
  const std::uint64_t looked_at = pick.indices.empty() ? std::min<std::uint64_t>(2, pick.count) : pick.count;
  for (std::uint64_t i = 1; i < looked_at; ++i)
    if (step_at(pick, i) != step) return true;
  return false;
}

}  // namespace

bool is_box(const Picks& picks) { return !picks.points && std::ranges::none_of(picks.axes, has_gaps); }

DenseBox box_of(const ArraySchema& schema, const Picks& picks) {
  if (picks.points) fail(ErrorKind::unsupported, "a stream of cells fills a box, not points");
  DenseBox box;
  for (std::size_t d = 0; d < picks.axes.size(); ++d) {
    const AxisPick& pick = picks.axes[d];
    if (has_gaps(pick))
      fail(ErrorKind::unsupported, "a stream of cells fills a box, and the selection leaves out cells along '{}'",
           schema.dimensions[d].name);
    const bool reversed = is_reversed(pick);
    box.first.push_back(pick.count == 0 ? 0 : pick.at(reversed ? pick.count - 1 : 0));
    box.count.push_back(pick.count);
    box.dropped.push_back(pick.dropped);
    box.reversed.push_back(reversed);
  }
  check_current_domain(schema, box);
  return box;
}

DenseBox box_of(const ArraySchema& schema, std::vector<std::uint64_t> first, std::vector<std::uint64_t> count) {
  const std::size_t n = schema.dimensions.size();
  DenseBox box{std::move(first), std::move(count), std::vector<bool>(n, false), std::vector<bool>(n, false)};
  check_current_domain(schema, box);
  return box;
}

BoxTiles::BoxTiles(const DenseGrid& grid, const DenseBox& box) : grid_(grid), box_(box) {
  const std::size_t n = grid.dimensions();
  for (std::size_t i = 0; i < n; ++i) fastest_first_.push_back(grid.tile_order == Order::col ? i : n - 1 - i);
  for (std::size_t d = 0; d < n; ++d) {
    first_.push_back(box.first[d] / grid.extent[d]);
    count_.push_back((box.first[d] + (box.count[d] - 1)) / grid.extent[d] - first_[d] + 1);
  }
}

std::uint64_t BoxTiles::tiles() const { return cell_count(count_); }

BoxPart BoxTiles::part(std::uint64_t tile) const {
  const std::size_t n = grid_.dimensions();
  BoxPart part;
  part.tile.resize(n);
  part.in_tile.resize(n);
  part.in_box.resize(n);
  part.count.resize(n);
  for (const std::size_t d : fastest_first_) {
    part.tile[d] = first_[d] + tile % count_[d];
    tile /= count_[d];
    const std::uint64_t start = part.tile[d] * grid_.extent[d];
    const std::uint64_t low = std::max(start, box_.first[d]);
    const std::uint64_t last = std::min(start + (grid_.extent[d] - 1), box_.first[d] + (box_.count[d] - 1));
    part.in_tile[d] = low - start;
    part.in_box[d] = low - box_.first[d];
    part.count[d] = last - low + 1;
    part.cells *= part.count[d];
  }
  return part;
}

DenseBox BoxTiles::box_of(const BoxPart& part) const {
  DenseBox box = box_;
  for (std::size_t d = 0; d < part.count.size(); ++d) box.first[d] += part.in_box[d];
  box.count = part.count;
  return box;
}

std::vector<CellRun> BoxTiles::runs(const BoxPart& part) const {
  const std::size_t n = grid_.dimensions();
  std::vector<CellRun> runs;
  std::vector<std::uint64_t> at(n, 0);
  for (;;) {
    std::uint64_t cell = 0;
    for (std::size_t d = 0; d < n; ++d) cell += (part.in_tile[d] + at[d]) * grid_.stride[d];
    const std::uint64_t count = part.count[grid_.order.back()];
    if (!runs.empty() && runs.back().begin + runs.back().count == cell)
      runs.back().count += count;
    else
      runs.push_back({cell, count});
    std::size_t i = n - 1;  // the fastest dimension is a run
    for (; i > 0; --i) {
      const std::size_t d = grid_.order[i - 1];
      if (++at[d] < part.count[d]) break;
      at[d] = 0;
    }
    if (i == 0) return runs;
  }
}

FragmentCover dense_cover(const ArraySchema& schema, const DenseBox& box) {
  const DenseGrid grid = make_grid(schema);
  FragmentCover cover;
  cover.last_tile_cells = grid.tile_cells;
  for (std::size_t d = 0; d < grid.dimensions(); ++d) {
    Bytes low(grid.types[d].size), high(grid.types[d].size);
    grid.value(d, box.first[d], low.data());
    grid.value(d, box.first[d] + (box.count[d] - 1), high.data());
    cover.domain.push_back({value_from_bytes(grid.types[d], low), value_from_bytes(grid.types[d], high)});
  }
  return cover;
}

}  // namespace tegula::tiledb
