#include "run/plot_cells.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/fail.h"
#include "tegula/selection.h"
#include "text/numbers.h"

namespace tegula::cli {

namespace {

// The most points, and parts of a line, that are kept: more than a picture shows.
constexpr std::size_t kMostPoints = 1 << 20;
constexpr std::size_t kMany = 1 << 20;  // values of a grid

std::vector<double> numbers_of(const Column& column, std::uint64_t cells) {
  if (!is_numeric(column.type, column.values_per_cell))
    fail(ErrorKind::invalid_argument, "field '{}' is {}, which cannot be drawn", column.name,
         display_name(column.type));
  std::vector<double> out(cells);
  for (std::uint64_t i = 0; i < cells; ++i) out[i] = number_at(column, i);
  return out;
}

// The dimensions that a selection keeps.
std::vector<std::size_t> kept_axes(const Schema& schema, const std::optional<Picks>& picks) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < schema.dimensions.size(); ++i)
    if (!picks || !picks->axes.at(i).dropped) kept.push_back(i);
  return kept;
}

double number_of(const Value& value) {
  if (const auto* n = std::get_if<std::int64_t>(&value)) return static_cast<double>(*n);
  if (const auto* n = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*n);
  return 0;
}

// The coordinates of the first and the last of `count` cells along a dimension; their positions when the coordinates
// are not evenly spaced.
Ends ends_of(const Dimension& dimension, std::size_t axis, const Query& query, const std::optional<Picks>& picks,
             std::uint64_t count) {
  const Ends plain{0, static_cast<double>(count) - 1};
  double low = number_of(dimension.domain.low);
  if (picks) {
    const AxisPick& pick = picks->axes.at(axis);
    if (!pick.indices.empty() || pick.count != count) return plain;
    return {low + static_cast<double>(pick.at(0)), low + static_cast<double>(pick.at(count - 1))};
  }
  for (const DimensionRanges& ranges : query.ranges) {
    if (ranges.name != dimension.name) continue;
    if (ranges.ranges.size() != 1 || number_of(ranges.ranges[0].high) - number_of(ranges.ranges[0].low) != plain.to)
      return plain;
    low = number_of(ranges.ranges[0].low);
  }
  return {low, low + plain.to};
}

// Rows of a grid. When there are many values, neighbours are joined, as long as twice the points of the picture are
// left.
class Grid {
 public:
  Grid(std::size_t width, std::size_t height) : most_columns_(2 * width), most_rows_(2 * height) {}

  void add_row(const double* values, std::size_t columns) {
    if (rows_ == 0) columns_ = columns;
    const bool first = rows_++ % height_ == 0;
    while (first && sums_.size() >= kMany && (columns_ > most_columns_ || sums_.size() >= most_rows_ * columns_))
      columns_ > most_columns_ ? join_columns() : join_rows();
    if ((rows_ - 1) % height_ == 0) {
      sums_.resize(sums_.size() + columns_, 0);
      counts_.resize(sums_.size(), 0);
    }
    const std::size_t row = sums_.size() - columns_;
    for (std::size_t c = 0; c < columns; ++c) {
      if (!std::isfinite(values[c])) continue;
      sums_[row + c / width_] += values[c];
      counts_[row + c / width_] += 1;
    }
  }
  // NaN where there is no finite value.
  void settle(Plot& plot) && {
    plot.columns = columns_;
    plot.rows = columns_ == 0 ? 0 : sums_.size() / columns_;
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] /= counts_[i];
    plot.values = std::move(sums_);
  }

 private:
  void join(std::size_t row_step, std::size_t column_step) {
    const std::size_t rows = sums_.size() / columns_, columns = (columns_ + column_step - 1) / column_step;
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < columns_; ++c) {
        const std::size_t from = r * columns_ + c, to = r / row_step * columns + c / column_step;
        const bool first = r % row_step == 0 && c % column_step == 0;
        sums_[to] = (first ? 0 : sums_[to]) + sums_[from];
        counts_[to] = (first ? 0 : counts_[to]) + counts_[from];
      }
    height_ *= row_step;
    width_ *= column_step;
    columns_ = columns;
    sums_.resize((rows + row_step - 1) / row_step * columns_);
    counts_.resize(sums_.size());
  }
  void join_rows() { join(2, 1); }
  void join_columns() { join(1, 2); }

  const std::size_t most_columns_, most_rows_;
  std::size_t width_ = 1, height_ = 1;  // cells that one value stands for
  std::size_t columns_ = 0, rows_ = 0;
  std::vector<double> sums_, counts_;
};

// The values of a line, of which neighbours are joined when there are too many.
class Line {
 public:
  void add(double value) {
    if (cells_++ % width_ == 0) {
      if (parts_.size() >= kMostPoints) join();
      if ((cells_ - 1) % width_ == 0) parts_.emplace_back();
    }
    parts_.back().add(value);
  }
  std::uint64_t cells() const { return cells_; }
  void settle(Plot& plot) && {
    for (const Limits& part : parts_) {
      const bool none = part.low > part.high;
      plot.values.push_back(none ? std::numeric_limits<double>::quiet_NaN() : part.low);
      if (width_ > 1) plot.values.push_back(none ? std::numeric_limits<double>::quiet_NaN() : part.high);
    }
    plot.rows = 1;
    plot.columns = plot.values.size();
  }

 private:
  void join() {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (i % 2 == 0) {
        parts_[i / 2] = parts_[i];
        continue;
      }
      parts_[i / 2].add(parts_[i].low);
      parts_[i / 2].add(parts_[i].high);
    }
    width_ *= 2;
    parts_.resize((parts_.size() + 1) / 2);
  }

  std::uint64_t width_ = 1, cells_ = 0;
  std::vector<Limits> parts_;
};

void gather_grid(const Array& array, const Query& query, Grid grid, Plot& plot) {
  Line line;
  Limits limits;
  std::optional<std::size_t> axes;
  const std::unique_ptr<BatchStream> batches = array.query(query);
  while (const std::optional<Batch> batch = batches->next()) {
    query.work.check();
    const std::vector<std::uint64_t> shape = batch->shape ? *batch->shape : std::vector<std::uint64_t>{batch->cells};
    if (shape.size() > 2)
      fail(ErrorKind::invalid_argument, "the part has {} dimensions; choose two with --select, as in '[0, :, :]'",
           shape.size());
    if (axes && (*axes != shape.size() || (*axes == 2 && shape[1] != plot.cells_across)))
      fail(ErrorKind::unsupported, "a row of the part does not fit the memory budget; give more with --memory");
    axes = shape.size();
    const std::vector<double> values = numbers_of(batch->columns.at(0), batch->cells);
    for (const double value : values) limits.add(value);
    if (shape.size() < 2) {
      for (const double value : values) line.add(value);
      continue;
    }
    plot.cells_across = shape[1];
    plot.cells_down += shape[0];
    for (std::uint64_t row = 0; shape[1] > 0 && row < shape[0]; ++row)
      grid.add_row(values.data() + row * shape[1], shape[1]);
  }
  limits.settle();
  plot.low = limits.low;
  plot.high = limits.high;
  if (axes.value_or(1) == 2) return std::move(grid).settle(plot);
  plot.cells_down = 1;
  plot.cells_across = line.cells();
  std::move(line).settle(plot);
}

// Points, of which those are kept that differ in a grid finer than a picture. When there are many, the array is read
// twice: the grid depends on how far they reach.
void gather_points(const Array& array, const Query& query, bool plane, Plot& plot) {
  constexpr double kPlaces = 4096;
  Limits across, up, values;
  bool thin = false;
  const auto each_batch = [&](const auto& take) {
    const std::unique_ptr<BatchStream> batches = array.query(query);
    while (const std::optional<Batch> batch = batches->next()) {
      query.work.check();
      const std::vector<double> value = numbers_of(batch->columns.back(), batch->cells);
      const std::vector<double> x = numbers_of(batch->columns[plane ? 1 : 0], batch->cells);
      take(x, plane ? numbers_of(batch->columns[0], batch->cells) : value, value);
    }
  };
  const auto keep = [&](double x, double y, double value) {
    plot.x.push_back(x);
    plot.y.push_back(y);
    plot.values.push_back(value);
  };
  each_batch([&](const std::vector<double>& x, const std::vector<double>& y, const std::vector<double>& value) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      across.add(x[i]);
      up.add(y[i]);
      values.add(value[i]);
    }
    thin = thin || plot.values.size() + x.size() > kMostPoints;
    for (std::size_t i = 0; !thin && i < x.size(); ++i) keep(x[i], y[i], value[i]);
  });
  values.settle();
  plot.low = values.low;
  plot.high = values.high;
  if (!thin) return;
  plot.x.clear();
  plot.y.clear();
  plot.values.clear();
  std::vector<bool> taken(static_cast<std::size_t>(kPlaces * kPlaces), false);
  const auto place = [&](double v, const Limits& limits) {
    const double share = limits.high > limits.low ? (v / 2 - limits.low / 2) / (limits.high / 2 - limits.low / 2) : 0;
    return static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * (kPlaces - 1));
  };
  each_batch([&](const std::vector<double>& x, const std::vector<double>& y, const std::vector<double>& value) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!std::isfinite(x[i]) || !std::isfinite(y[i])) continue;
      const std::size_t at = place(y[i], up) * static_cast<std::size_t>(kPlaces) + place(x[i], across);
      if (taken[at]) continue;
      taken[at] = true;
      keep(x[i], y[i], value[i]);
    }
  });
}

}  // namespace

Limits limits_of(const std::vector<double>& values) {
  Limits limits;
  for (const double v : values) limits.add(v);
  limits.settle();
  return limits;
}

Plot gather_plot(const Array& array, Query query, const std::string& field, std::size_t width, std::size_t height) {
  const Schema& schema = array.schema();
  Plot plot;
  plot.points = schema.sparse;
  // A batch is turned into doubles, which takes several times its size.
  query.work.memory /= 8;
  if (schema.sparse) {
    if (schema.dimensions.size() > 2)
      fail(ErrorKind::invalid_argument, "points of {} dimensions cannot be drawn in two", schema.dimensions.size());
    const bool plane = schema.dimensions.size() == 2;
    query.fields.emplace();
    for (const Dimension& d : schema.dimensions) query.fields->push_back(d.name);
    query.fields->push_back(field);
    gather_points(array, query, plane, plot);
    plot.x_name = schema.dimensions[plane ? 1 : 0].name;
    plot.x_type = schema.dimensions[plane ? 1 : 0].type;
    if (plane) plot.y_name = schema.dimensions[0].name;
  } else {
    query.fields = {field};
    gather_grid(array, query, Grid(width, height), plot);
    std::optional<Picks> picks;
    if (query.select) picks = resolve(*query.select, schema.shape());
    const std::vector<std::size_t> kept = kept_axes(schema, picks);
    const auto ends = [&](std::size_t axis, std::uint64_t count) {
      return ends_of(schema.dimensions[axis], axis, query, picks, count);
    };
    if (!kept.empty()) {
      const Dimension& last = schema.dimensions[kept.back()];
      plot.x_name = last.name;
      plot.x_type = last.type;
      plot.across = ends(kept.back(), plot.cells_across);
    }
    if (kept.size() == 2) {
      plot.y_name = schema.dimensions[kept[0]].name;
      plot.down = ends(kept[0], plot.cells_down);
    }
  }
  if (plot.values.empty()) fail(ErrorKind::invalid_argument, "there is no cell to draw");
  return plot;
}

}  // namespace tegula::cli
