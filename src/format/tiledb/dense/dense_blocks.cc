#include "format/tiledb/dense/dense_blocks.h"

#include <algorithm>
#include <limits>

#include "base/fail.h"
#include "format/tiledb/fragment/tile_source.h"

namespace tegula::tiledb {

namespace {

std::uint64_t cells_of(const DenseSelection& selection) {
  if (selection.points) return selection.points->front().size();
  std::uint64_t cells = 1;
  for (const AxisRuns& axis : selection.axes)
    if (__builtin_mul_overflow(cells, axis.length, &cells)) return UINT64_MAX;
  return cells;
}

// In global order the tiles are listed along each axis.
constexpr std::uint64_t kMostTiles = 1 << 24;

void check_tiles(const AxisRuns& axis, std::uint64_t extent) {
  std::uint64_t tiles = 0;
  for (const Run& run : axis.runs) {
    tiles += std::min(kMostTiles, run.at(run.count - 1) / extent - run.start / extent) + 1;
    if (tiles > kMostTiles)
      fail(ErrorKind::unsupported, "tile by tile over more than {} tiles of a dimension; give ranges", kMostTiles);
  }
}

}  // namespace

DenseBlocks::DenseBlocks(const Snapshot& snapshot, DenseSelection selection, Order order, std::vector<FieldInfo> fields,
                         const Work& work)
    : snapshot_(snapshot), fields_(std::move(fields)), work_(work), limit_(work.memory) {
  for (const FieldInfo& field : fields_) {
    // Of variable cells only the place and the length count here; their bytes are known once the tiles are.
    cell_bytes_ += field.var() ? sizeof(ByteView) + 8 : field.cell_size();
    cell_bytes_ += field.nullable ? 1 : 0;
    has_var_ = has_var_ || field.var();
  }
  cell_bytes_ = std::max<std::uint64_t>(1, cell_bytes_);
  fortran_ = order == Order::col || (order == Order::global && snapshot.grid().cell_order == Order::col);
  if (order == Order::global && !selection.points) {
    by_tile_ = true;
    for (std::size_t d = 0; d < selection.axes.size(); ++d) {
      check_tiles(selection.axes[d], snapshot.grid().extent[d]);
      tiles_.push_back(split_by_tile(selection.axes[d], snapshot.grid().extent[d]));
      done_ = done_ || tiles_.back().empty();
    }
    at_.assign(tiles_.size(), 0);
    return;
  }
  // While one block is made, the one before may still be in memory.
  if (least_bytes(selection) > limit_) limit_ = limit_ / 2 - limit_ / 16;
  pending_.push_back(std::move(selection));
}

std::uint64_t DenseBlocks::least_bytes(const DenseSelection& selection) const {
  const std::uint64_t cells = cells_of(selection);
  return cells > UINT64_MAX / cell_bytes_ ? UINT64_MAX : cells * cell_bytes_;
}

std::uint64_t DenseBlocks::bytes_of(const DenseBlock& block) const {
  return least_bytes(block.selection) + (has_var_ ? var_bytes(*block.plan) : 0);
}

std::uint64_t DenseBlocks::var_bytes(const DensePlan& plan) const {
  std::uint64_t bytes = 0;
  for (const FieldInfo& field : fields_) {
    if (!field.var() || field.dimension) continue;
    for (const TileCopy& copy : plan.copies) {
      const Fragment& fragment = *snapshot_.fragments(work_)[copy.fragment];
      if (const StoredField* stored = stored_attribute(fragment, field))
        bytes += 2 * decoded_bytes({&fragment, stored, copy.tile});
    }
  }
  return bytes;
}

// Halves the slowest axis that has more than one cell, at a tile boundary where there is one.
bool DenseBlocks::split(const DenseSelection& selection) {
  if (selection.points) {
    const std::uint64_t count = selection.points->front().size();
    if (count < 2) return false;
    DenseSelection low, high;
    low.points.emplace();
    high.points.emplace();
    for (const std::vector<std::uint64_t>& axis : *selection.points) {
      const auto middle = axis.begin() + static_cast<std::ptrdiff_t>(count / 2);
      low.points->emplace_back(axis.begin(), middle);
      high.points->emplace_back(middle, axis.end());
    }
    pending_.push_back(std::move(high));
    pending_.push_back(std::move(low));
    return true;
  }
  const std::size_t n = selection.axes.size();
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t d = fortran_ ? n - 1 - i : i;
    const AxisRuns& axis = selection.axes[d];
    if (axis.length < 2) continue;
    std::uint64_t middle = axis.length / 2;
    if (const Run& run = axis.runs[0]; axis.runs.size() == 1 && run.step == 1 && run.out_step == 1) {
      const std::uint64_t extent = snapshot_.grid().extent[d];
      const std::uint64_t boundary = (run.start + middle) / extent * extent;
      if (boundary > run.start) middle = boundary - run.start;
    }
    DenseSelection low = selection, high = selection;
    low.axes[d] = cut(axis, 0, middle);
    high.axes[d] = cut(axis, middle, axis.length - middle);
    pending_.push_back(std::move(high));
    pending_.push_back(std::move(low));
    return true;
  }
  return false;
}

std::optional<DenseBlock> DenseBlocks::next_tile() {
  if (done_) return std::nullopt;
  DenseBlock block;
  const std::size_t n = tiles_.size();
  for (std::size_t d = 0; d < n; ++d) {
    const TilePart& part = tiles_[d][at_[d]];
    AxisRuns& axis = block.selection.axes.emplace_back();
    for (Run run : part.runs) {
      run.start += part.tile * snapshot_.grid().extent[d];
      run.out = run.out_step > 0 ? axis.length : axis.length + run.count - 1;
      axis.length += run.count;
      axis.runs.push_back(run);
    }
  }
  done_ = true;
  for (std::size_t i = n; i-- > 0 && done_;) {
    const std::size_t d = snapshot_.grid().tile_order == Order::col ? n - 1 - i : i;
    done_ = ++at_[d] == tiles_[d].size();
    if (done_) at_[d] = 0;
  }
  block.plan = snapshot_.planner(work_).plan(block.selection.axes, work_);
  return block;
}

std::optional<DenseBlock> DenseBlocks::next() {
  if (by_tile_) return next_tile();
  while (!pending_.empty()) {
    DenseBlock block;
    block.selection = std::move(pending_.back());
    pending_.pop_back();
    if (least_bytes(block.selection) > limit_ && split(block.selection)) continue;
    const DensePlanner& planner = snapshot_.planner(work_);
    block.plan = block.selection.points ? planner.plan(*block.selection.points, work_)
                                        : planner.plan(block.selection.axes, work_);
    if (has_var_ && var_bytes(*block.plan) + least_bytes(block.selection) > limit_ && split(block.selection)) continue;
    return block;
  }
  return std::nullopt;
}

}  // namespace tegula::tiledb
