#include "format/tiledb/write/write_runs.h"

#include <algorithm>
#include <numeric>

#include "base/fail.h"
#include "model/strided.h"
#include "query/columns/gather.h"

namespace tegula::tiledb {

namespace {

// Neighbouring cells of an axis, whose values are neighbours, too: in the same order, or reversed.
struct AxisRun {
  std::uint64_t first = 0, count = 0;
  std::uint64_t from = 0;  // lowest index in the result
  bool reversed = false;
};

void check_count(std::uint64_t boxes) {
  if (boxes > kMostBoxes)
    fail(ErrorKind::invalid_argument,
         "the selection is {} runs of cells or more, and a TileDB write makes a fragment of each; at most {} are "
         "written "
         "at once: read the box around them, change it and write it whole",
         boxes, kMostBoxes);
}

// Extends the last run by a cell, or starts another.
void add_cell(std::vector<AxisRun>& runs, std::uint64_t cell, std::uint64_t from) {
  if (!runs.empty()) {
    AxisRun& run = runs.back();
    if (run.first + run.count == cell) {
      const bool rises = from == run.from + run.count, falls = from + 1 == run.from;
      if ((rises && (run.count == 1 || !run.reversed)) || (falls && (run.count == 1 || run.reversed))) {
        run.reversed = falls;
        run.from = std::min(run.from, from);
        ++run.count;
        return;
      }
    }
  }
  runs.push_back({cell, 1, from, false});
  check_count(runs.size());
}

std::vector<AxisRun> runs_of_axis(const AxisPick& pick) {
  if (pick.count == 0) return {};
  if (pick.indices.empty() && (pick.count == 1 || pick.step == 1 || pick.step == -1)) {
    const bool reversed = pick.count > 1 && pick.step == -1;
    return {{pick.at(reversed ? pick.count - 1 : 0), pick.count, 0, reversed}};
  }
  if (pick.indices.empty()) check_count(pick.count);
  std::vector<std::uint64_t> order(pick.count);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::uint64_t i) { return pick.at(i); });
  std::vector<AxisRun> runs;
  for (std::size_t i = 0; i < order.size(); ++i)
    if (i + 1 == order.size() || pick.at(order[i]) != pick.at(order[i + 1]))
      add_cell(runs, pick.at(order[i]), order[i]);
  return runs;
}

SelectedBox empty_box(std::size_t dimensions) {
  return {{{}, {}, std::vector<bool>(dimensions, false), std::vector<bool>(dimensions, false)}, {}};
}

// Points along the last dimension are joined.
std::vector<SelectedBox> boxes_of_points(const Picks& picks) {
  const std::size_t n = picks.axes.size(), last = n - 1;
  std::vector<std::uint64_t> order(picks.axes[0].count);
  std::iota(order.begin(), order.end(), 0);
  const auto compare = [&](std::uint64_t a, std::uint64_t b, std::size_t dimensions) {
    for (std::size_t d = 0; d < dimensions; ++d)
      if (const auto x = picks.axes[d].at(a), y = picks.axes[d].at(b); x != y) return x < y ? -1 : 1;
    return 0;
  };
  std::ranges::stable_sort(order, [&](std::uint64_t a, std::uint64_t b) { return compare(a, b, n) < 0; });
  std::vector<SelectedBox> boxes;
  std::vector<AxisRun> line;
  const auto finish_line = [&](std::uint64_t point) {
    for (const AxisRun& run : line) {
      SelectedBox& box = boxes.emplace_back(empty_box(n));
      for (std::size_t d = 0; d < n; ++d) {
        box.box.first.push_back(d == last ? run.first : picks.axes[d].at(point));
        box.box.count.push_back(d == last ? run.count : 1);
        box.box.dropped[d] = d != last;
      }
      box.box.reversed[last] = run.reversed;
      box.first = {run.from};
    }
    check_count(boxes.size());
    line.clear();
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool end = i + 1 == order.size();
    if (end || compare(order[i], order[i + 1], n) != 0) add_cell(line, picks.axes[last].at(order[i]), order[i]);
    if (end || compare(order[i], order[i + 1], last) != 0) finish_line(order[i]);
  }
  return boxes;
}

// Calls write(writer, box) for a fragment of each box and then makes all of them visible.
template <class Write>
void write_boxes(const WriteTarget& target, const Picks& picks, std::uint64_t time, const Work& work,
                 const Write& write) {
  std::vector<std::unique_ptr<FragmentWriter>> written;
  for (const SelectedBox& selected : boxes_of(*target.schema, picks)) {
    work.check();
    written.push_back(std::make_unique<FragmentWriter>(target, true, time));
    write(*written.back(), selected);
    written.back()->finish(dense_cover(*target.schema, selected.box));
  }
  commit_fragments(*target.store, written, time, time);
}

}  // namespace

std::vector<SelectedBox> boxes_of(const ArraySchema& schema, const Picks& picks) {
  std::vector<SelectedBox> boxes;
  if (picks.cells() == 0) return boxes;
  if (picks.points) {
    boxes = boxes_of_points(picks);
  } else {
    std::vector<std::vector<AxisRun>> axes;
    std::uint64_t count = 1;
    for (const AxisPick& pick : picks.axes) {
      axes.push_back(runs_of_axis(pick));
      check_count(count *= axes.back().size());
    }
    std::vector<std::size_t> at(axes.size(), 0);
    for (std::uint64_t i = 0; i < count; ++i) {
      SelectedBox& box = boxes.emplace_back(empty_box(axes.size()));
      for (std::size_t d = 0; d < axes.size(); ++d) {
        const AxisRun& run = axes[d][at[d]];
        box.box.first.push_back(run.first);
        box.box.count.push_back(run.count);
        box.box.reversed[d] = run.reversed;
        box.box.dropped[d] = picks.axes[d].dropped;
        if (!picks.axes[d].dropped) box.first.push_back(run.from);
      }
      for (std::size_t d = axes.size(); d-- > 0;) {
        if (++at[d] < axes[d].size()) break;
        at[d] = 0;
      }
    }
  }
  for (const SelectedBox& box : boxes) check_current_domain(schema, box.box);
  return boxes;
}

void write_runs(const WriteTarget& target, const Picks& picks, const StridedView& values, std::uint64_t time,
                const WriteOptions& options) {
  if (values.shape != picks.shape() || values.strides.size() != values.shape.size())
    fail(ErrorKind::invalid_argument, "the values have another shape than the selection");
  write_boxes(target, picks, time, options.work, [&](FragmentWriter& writer, const SelectedBox& selected) {
    StridedView part = values;
    part.shape = selected.box.shape();
    for (std::size_t axis = 0; axis < part.shape.size(); ++axis)
      part.data += static_cast<std::int64_t>(selected.first[axis]) * values.strides[axis];
    add_dense_tiles(writer, *target.schema, selected.box, part, options.work);
  });
}

void write_runs(const WriteTarget& target, const Picks& picks, const Batch& cells, std::uint64_t time,
                const WriteOptions& options) {
  const std::vector<std::uint64_t> shape = picks.shape();
  if (cells.cells != cell_count(shape))
    fail(ErrorKind::invalid_argument, "{} cells for a selection of {}", cells.cells, cell_count(shape));
  if (cells.shape && *cells.shape != shape)
    fail(ErrorKind::invalid_argument, "the cells have another shape than the selection");
  if (options.order != Order::row && options.order != Order::col)
    fail(ErrorKind::invalid_argument, "cells of a selection that is no box are in row or col order");
  const std::vector<std::int64_t> strides = contiguous_strides(shape, 1, options.order == Order::col);
  write_boxes(target, picks, time, options.work, [&](FragmentWriter& writer, const SelectedBox& selected) {
    // The cells of the box in row order, as places in the batch.
    const std::vector<std::uint64_t> inner = selected.box.shape();
    std::vector<std::uint64_t> places(selected.box.cells());
    for (std::uint64_t i = 0; i < places.size(); ++i) {
      std::uint64_t rest = i;
      for (std::size_t axis = inner.size(); axis-- > 0; rest /= inner[axis])
        places[i] += (selected.first[axis] + rest % inner[axis]) * static_cast<std::uint64_t>(strides[axis]);
    }
    Batch part;
    part.cells = places.size();
    for (const Column& column : cells.columns) part.columns.push_back(gather(column, places));
    add_dense_tiles(writer, *target.schema, selected.box, part, Order::row, options.work);
  });
}

}  // namespace tegula::tiledb
