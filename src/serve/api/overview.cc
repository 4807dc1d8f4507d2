#include "serve/api/overview.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/endian.h"
#include "base/fail.h"
#include "base/half.h"
#include "base/product.h"
#include "base/with_type.h"
#include "convert/written_boxes.h"
#include "picture/canvas.h"
#include "tegula/capabilities.h"

namespace tegula::serve {

namespace {

constexpr std::uint64_t kMostCells = 1ull << 31;
constexpr std::uint64_t kBlockCells = 1ull << 22;

// One axis of the picture: the axis of the array, if there is one, and the part of it that is shown.
struct Side {
  std::size_t axis = SIZE_MAX;
  std::uint64_t first = 0, count = 1, points = 1;
  std::uint64_t point(std::uint64_t i) const { return i * points / count; }  // of cell first + i
};

struct Plan {
  CellBox window;  // all axes; those that are not shown have one cell
  Side rows, columns;
};

Plan plan_of(const Schema& schema, const OverviewRequest& request) {
  const std::vector<std::uint64_t> shape = schema.shape();
  const Picks picks = resolve(request.select, shape);
  Plan plan;
  std::vector<std::size_t> shown;
  for (std::size_t a = 0; a < picks.axes.size(); ++a) {
    const AxisPick& pick = picks.axes[a];
    if (picks.points || !pick.indices.empty() || (pick.count > 1 && pick.step != 1))
      fail(ErrorKind::invalid_argument, "an overview is of slices without steps");
    if (pick.count == 0) fail(ErrorKind::invalid_argument, "the selection holds no cells");
    plan.window.first.push_back(pick.at(0));
    plan.window.count.push_back(pick.count);
    if (!pick.dropped) shown.push_back(a);
  }
  if (shown.size() > 2)
    fail(ErrorKind::invalid_argument,
         "the selection leaves {} axes, and a picture has two: give an index for the others", shown.size());
  const auto side = [&](std::size_t axis, std::uint64_t most) {
    const std::uint64_t count = plan.window.count[axis];
    return Side{axis, plan.window.first[axis], count, std::min(count, most)};
  };
  if (!shown.empty()) plan.columns = side(shown.back(), request.width);
  if (shown.size() == 2) plan.rows = side(shown[0], request.height);
  if (saturated_product(plan.window.count) > kMostCells)
    fail(ErrorKind::unsupported, "the window has more than 2^31 cells; ask for a smaller one");
  return plan;
}

// Running sums of the points.
class Points {
 public:
  Points(const Plan& plan, Reduction how)
      : how_(how),
        width_(plan.columns.points),
        values_(plan.rows.points * plan.columns.points, start(how)),
        counts_(values_.size(), 0) {}

  void add(std::uint64_t row, std::uint64_t column, double value) {
    double& at = values_[row * width_ + column];
    std::uint64_t& count = counts_[row * width_ + column];
    if (how_ == Reduction::mean)
      at += value;
    else if (how_ == Reduction::min)
      at = std::min(at, value);
    else if (how_ == Reduction::max)
      at = std::max(at, value);
    else if (count == 0)
      at = value;
    ++count;
  }

  std::vector<double> take() {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (counts_[i] == 0)
        values_[i] = std::numeric_limits<double>::quiet_NaN();
      else if (how_ == Reduction::mean)
        values_[i] /= static_cast<double>(counts_[i]);
    }
    return std::move(values_);
  }

 private:
  static double start(Reduction how) {
    const double infinity = std::numeric_limits<double>::infinity();
    return how == Reduction::min ? infinity : how == Reduction::max ? -infinity : 0;
  }

  Reduction how_;
  std::uint64_t width_;
  std::vector<double> values_;
  std::vector<std::uint64_t> counts_;
};

// One cell of the column as a number; NaN when it has none.
using Load = double (*)(const std::byte* cell, bool big_endian);

Load loader(const Attribute& field) {
  if (field.values_per_cell == 1 && field.type.id == TypeId::float16)
    return [](const std::byte* cell, bool big) -> double {
      return half_to_float(big ? load_be<std::uint16_t>(cell) : load_le<std::uint16_t>(cell));
    };
  if (field.values_per_cell == 1 && field.type.id == TypeId::boolean)
    return [](const std::byte* cell, bool) -> double { return *cell != std::byte{0}; };
  if (field.values_per_cell != 1) fail(ErrorKind::invalid_argument, "'{}' has several values in a cell", field.name);
  return with_number(
      field.type.id,
      [](auto zero) -> Load {
        using T = decltype(zero);
        return [](const std::byte* cell, bool big) -> double {
          return static_cast<double>(big ? load_be<T>(cell) : load_le<T>(cell));
        };
      },
      [&]() -> Load {
        fail(ErrorKind::invalid_argument, "'{}' of type {} has no numbers", field.name, display_name(field.type));
      });
}

// Steps of whole chunks, as many cells as fit.
std::uint64_t step_of(std::uint64_t chunk, std::uint64_t count, std::uint64_t most) {
  chunk = std::max<std::uint64_t>(1, chunk);
  return std::clamp<std::uint64_t>(most / chunk * chunk,
                                   std::min<std::uint64_t>(chunk, std::max<std::uint64_t>(1, most)),
                                   std::max<std::uint64_t>(1, count));
}

struct Reader {
  const Array& array;
  const Attribute& field;
  const Plan& plan;
  const Load load;
  const bool skip_fill;

  void block(const CellBox& box, Points& points, const Work& work) const {
    Query query;
    query.fields = {field.name};
    query.work = work;
    ask_for(query, array.schema(), box);
    const Batch batch = collect(*array.query(query));
    const Column& column = batch.columns.at(0);
    const std::uint64_t rows = plan.rows.axis == SIZE_MAX ? 1 : box.count[plan.rows.axis];
    const std::uint64_t columns = plan.columns.axis == SIZE_MAX ? 1 : box.count[plan.columns.axis];
    const std::uint64_t top = plan.rows.axis == SIZE_MAX ? 0 : box.first[plan.rows.axis] - plan.rows.first;
    const std::uint64_t left = plan.columns.axis == SIZE_MAX ? 0 : box.first[plan.columns.axis] - plan.columns.first;
    if (column.cells() != rows * columns)
      fail(ErrorKind::corrupt, "{} cells were read of {}", column.cells(), rows * columns);
    const std::size_t size = field.type.size;
    std::vector<std::uint64_t> at(columns);
    for (std::uint64_t c = 0; c < columns; ++c) at[c] = plan.columns.point(left + c);
    for (std::uint64_t r = 0, i = 0; r < rows; ++r) {
      const std::uint64_t row = plan.rows.point(top + r);
      for (std::uint64_t c = 0; c < columns; ++c, ++i) {
        const std::byte* cell = column.data.data() + i * size;
        if (!column.valid(i) || (skip_fill && std::memcmp(cell, field.fill.data(), size) == 0)) continue;
        const double value = load(cell, field.type.big_endian);
        if (!std::isnan(value)) points.add(row, at[c], value);
      }
    }
  }
};

}  // namespace

Reduction reduction(std::string_view name) {
  constexpr std::pair<std::string_view, Reduction> kNames[] = {
      {"mean", Reduction::mean}, {"min", Reduction::min}, {"max", Reduction::max}, {"nearest", Reduction::nearest}};
  for (const auto& [known, how] : kNames)
    if (known == name) return how;
  fail(ErrorKind::invalid_argument, "'{}' is none of mean, min, max, nearest", name);
}

Overview overview_of(const Array& array, const OverviewRequest& request, const Work& work) {
  const Schema& schema = array.schema();
  const Attribute* field = schema.attribute(request.field);
  if (!field) fail(ErrorKind::invalid_argument, "there is no field '{}'", request.field);
  if (schema.sparse) fail(ErrorKind::invalid_argument, "an overview is of a dense array or a table");
  const Plan plan = plan_of(schema, request);
  const bool skip_fill = capabilities(array).fragments && field->fill.size() == field->type.size;
  const Reader reader{array, *field, plan, loader(*field), skip_fill};
  const std::vector<std::uint64_t> chunks = schema.chunks();

  Points points(plan, request.how);
  const auto side_step = [&](const Side& side, std::uint64_t most) {
    return side.axis == SIZE_MAX ? 1 : step_of(chunks[side.axis], side.count, most);
  };
  const std::uint64_t columns = side_step(plan.columns, kBlockCells / 64),
                      rows = side_step(plan.rows, kBlockCells / columns);
  for (std::uint64_t r = 0; r < plan.rows.count; r += rows)
    for (std::uint64_t c = 0; c < plan.columns.count; c += columns) {
      work.check();
      CellBox box = plan.window;
      const auto cut = [&](const Side& side, std::uint64_t from, std::uint64_t step) {
        if (side.axis == SIZE_MAX) return;
        box.first[side.axis] = side.first + from;
        box.count[side.axis] = std::min(step, side.count - from);
      };
      cut(plan.rows, r, rows);
      cut(plan.columns, c, columns);
      reader.block(box, points, work);
    }
  Overview out;
  out.width = plan.columns.points;
  out.height = plan.rows.points;
  out.values = points.take();
  bool any = false;
  for (const double value : out.values) {
    if (!std::isfinite(value)) continue;
    out.low = any ? std::min(out.low, value) : value;
    out.high = any ? std::max(out.high, value) : value;
    any = true;
  }
  return out;
}

std::string overview_png(const Overview& overview) {
  Canvas canvas(static_cast<int>(overview.width), static_cast<int>(overview.height), {128, 128, 128});
  const double span = overview.high > overview.low ? overview.high - overview.low : 1;
  for (std::size_t i = 0; i < overview.values.size(); ++i)
    if (std::isfinite(overview.values[i]))
      canvas.point(static_cast<int>(i % overview.width), static_cast<int>(i / overview.width),
                   heat((overview.values[i] - overview.low) / span));
  return canvas.png();
}

}  // namespace tegula::serve
