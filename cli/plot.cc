// `tegula plot`: a picture of a 1-d or 2-d part, or of sparse points.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/fail.h"
#include "file_writer.h"
#include "numbers.h"
#include "opening.h"
#include "output.h"
#include "plot_canvas.h"
#include "reading.h"
#include "verbs.h"
#include "written_part.h"

namespace tegula::cli {

namespace {

struct Flags {
  std::string uri, out;
  std::optional<std::string> field;
  OpenFlags open;
  PartFlags part;
  bool ascii = false;
  std::optional<std::uint64_t> width, height;
};

// What is drawn: a grid of values (heat map, line when it has one row), or points.
struct Plot {
  std::string title, x_name, y_name;
  std::size_t rows = 0, columns = 0;
  std::vector<double> values;  // grid: row by row; points: one each
  std::vector<double> x, y;    // points only
  double low = 0, high = 0;    // of the finite values
  bool points = false;
};

struct Limits {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  void add(double v) {
    if (!std::isfinite(v)) return;
    low = std::min(low, v);
    high = std::max(high, v);
  }
  void settle() {
    if (low > high) low = high = 0;
  }
};

Limits limits_of(const std::vector<double>& values) {
  Limits limits;
  for (const double v : values) limits.add(v);
  limits.settle();
  return limits;
}

double share(double value, double low, double high) { return high != low ? (value - low) / (high - low) : 0.5; }

std::vector<double> numbers_of(const Column& column, std::uint64_t cells) {
  if (!is_numeric(column.type, column.values_per_cell))
    fail(ErrorKind::invalid_argument, "field '{}' is {}, which cannot be drawn", column.name,
         display_name(column.type));
  std::vector<double> out(cells);
  for (std::uint64_t i = 0; i < cells; ++i) out[i] = number_at(column, i);
  return out;
}

// The dimensions that a selection leaves.
std::vector<std::string> axis_names(const Schema& schema, const Query& query) {
  std::vector<std::string> names;
  std::optional<Picks> picks;
  if (query.select) picks = resolve(*query.select, schema.shape());
  for (std::size_t i = 0; i < schema.dimensions.size(); ++i)
    if (!picks || !picks->axes.at(i).dropped) names.push_back(schema.dimensions[i].name);
  return names;
}

Plot gather(const Array& array, const Flags& flags, const Globals& globals) {
  const Schema& schema = array.schema();
  Query query = flags.part.query(schema, globals);
  leave_out_the_unwritten(query, array);
  if (schema.attributes.empty()) fail(ErrorKind::invalid_argument, "the array has no attribute to draw");
  const std::string field = flags.field ? *flags.field : schema.attributes[0].name;
  Plot plot;
  plot.title = field.empty() ? flags.uri.substr(flags.uri.rfind('/') + 1) : field;
  plot.points = schema.sparse;
  if (schema.sparse) {
    if (schema.dimensions.size() > 2)
      fail(ErrorKind::invalid_argument, "points of {} dimensions cannot be drawn in two", schema.dimensions.size());
    query.fields.emplace();
    for (const Dimension& d : schema.dimensions) query.fields->push_back(d.name);
    query.fields->push_back(field);
  } else {
    query.fields = {field};
  }
  const Batch batch = collect(*array.query(query));
  const Column* values = batch.column(field);
  if (!values) fail(ErrorKind::invalid_argument, "there is no field '{}'", field);
  plot.values = numbers_of(*values, batch.cells);
  if (schema.sparse) {
    const bool plane = schema.dimensions.size() == 2;
    plot.x = numbers_of(batch.columns[plane ? 1 : 0], batch.cells);
    plot.y = plane ? numbers_of(batch.columns[0], batch.cells) : plot.values;
    plot.x_name = schema.dimensions[plane ? 1 : 0].name;
    if (plane) plot.y_name = schema.dimensions[0].name;
  } else {
    const std::vector<std::uint64_t> shape = batch.shape ? *batch.shape : std::vector<std::uint64_t>{batch.cells};
    if (shape.size() > 2)
      fail(ErrorKind::invalid_argument, "the part has {} dimensions; choose two with --select, as in '[0, :, :]'",
           shape.size());
    plot.rows = shape.size() == 2 ? shape[0] : 1;
    plot.columns = shape.empty() ? 1 : shape.back();
    const std::vector<std::string> names = axis_names(schema, query);
    if (!names.empty()) plot.x_name = names.back();
    if (names.size() == 2) plot.y_name = names[0];
  }
  if (plot.values.empty()) fail(ErrorKind::invalid_argument, "there is no cell to draw");
  const Limits limits = limits_of(plot.values);
  plot.low = limits.low;
  plot.high = limits.high;
  return plot;
}

// The grid at another size: the mean of the values that fall into each place, NaN where there is none.
std::vector<double> resample(const Plot& plot, std::size_t rows, std::size_t columns) {
  std::vector<double> sum(rows * columns, 0), count(rows * columns, 0);
  if (rows >= plot.rows && columns >= plot.columns) {
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < columns; ++c)
        sum[r * columns + c] = plot.values[r * plot.rows / rows * plot.columns + c * plot.columns / columns];
    return sum;
  }
  for (std::size_t r = 0; r < std::max(rows, plot.rows); ++r)
    for (std::size_t c = 0; c < std::max(columns, plot.columns); ++c) {
      const std::size_t from_row = rows > plot.rows ? r * plot.rows / rows : r,
                        from_column = columns > plot.columns ? c * plot.columns / columns : c;
      const std::size_t to = (rows > plot.rows ? r : r * rows / plot.rows) * columns +
                             (columns > plot.columns ? c : c * columns / plot.columns);
      const double value = plot.values[from_row * plot.columns + from_column];
      if (!std::isfinite(value)) continue;
      sum[to] += value;
      count[to] += 1;
    }
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] /= count[i];
  return sum;
}

constexpr Colour kGrey{200, 200, 200}, kInk{40, 90, 160};
constexpr int kMargin = 60, kBar = 16;

struct Box {
  int x, y, width, height;
};

// Round numbers between two ends, in either direction: multiples of 1, 2 or 5 times a power of ten.
std::vector<double> ticks(double from, double to) {
  const double low = std::min(from, to), span = std::abs(to - from);
  if (!(span > 0) || !std::isfinite(span)) return {from};
  constexpr int kAbout = 5;
  const double power = std::pow(10, std::floor(std::log10(span / kAbout)));
  double step = power;
  for (const double factor : {2.0, 5.0, 10.0})
    if (span / step > kAbout + 1) step = factor * power;
  std::vector<double> out;
  for (double n = std::ceil(low / step - 1e-9); n * step <= low + span * (1 + 1e-9); ++n)
    out.push_back(n == 0 ? 0.0 : n * step);
  return out;
}

std::string tick_text(double value) { return fmt::format("{:.5g}", value); }

void draw_axes(Canvas& canvas, const Plot& plot, const Box& box, const Limits& across, const Limits& up) {
  const auto [x, y, width, height] = box;
  canvas.line(x, y + height, x + width, y + height, {0, 0, 0});
  canvas.line(x, y, x, y + height, {0, 0, 0});
  for (const double value : ticks(across.low, across.high)) {
    const int at = x + static_cast<int>(share(value, across.low, across.high) * width);
    canvas.line(at, y + height, at, y + height + 4, {0, 0, 0});
    canvas.text(at - Canvas::text_width(tick_text(value)) / 2, y + height + 8, tick_text(value));
  }
  for (const double value : ticks(up.low, up.high)) {
    const int at = y + height - static_cast<int>(share(value, up.low, up.high) * height);
    canvas.line(x - 4, at, x, at, {0, 0, 0});
    canvas.text(x - 8 - Canvas::text_width(tick_text(value)), at - 3, tick_text(value));
  }
  canvas.text(x + width / 2 - Canvas::text_width(plot.x_name) / 2, y + height + 24, plot.x_name);
  canvas.text(4, y - 18, plot.y_name);
}

void draw_bar(Canvas& canvas, int x, int y, int height, double low, double high) {
  for (int i = 0; i < height; ++i) canvas.fill(x, y + i, kBar, 1, heat(1 - static_cast<double>(i) / height));
  for (const double value : ticks(low, high)) {
    const int at = y + height - static_cast<int>(share(value, low, high) * height);
    canvas.line(x + kBar, at, x + kBar + 3, at, {0, 0, 0});
    canvas.text(x + kBar + 6, at - 3, tick_text(value));
  }
}

Canvas draw(const Plot& plot, int width, int height) {
  Canvas canvas(width, height);
  const bool coloured = plot.points ? plot.y != plot.values : plot.rows > 1;
  const int x = kMargin, y = 30, w = width - kMargin - (coloured ? 100 : 30), h = height - y - 40;
  canvas.text(x + w / 2 - Canvas::text_width(plot.title) / 2, 12, plot.title);
  const Box box{x, y, w, h};
  if (plot.points) {
    const Limits across = limits_of(plot.x), up = limits_of(plot.y);
    for (std::size_t i = 0; i < plot.values.size(); ++i) {
      if (!std::isfinite(plot.x[i]) || !std::isfinite(plot.y[i])) continue;
      const int px = x + static_cast<int>(share(plot.x[i], across.low, across.high) * (w - 4)) + 2,
                py = y + h - 2 - static_cast<int>(share(plot.y[i], up.low, up.high) * (h - 4));
      canvas.fill(px - 1, py - 1, 3, 3, coloured ? heat(share(plot.values[i], plot.low, plot.high)) : kInk);
    }
    draw_axes(canvas, plot, box, across, up);
  } else if (plot.rows == 1) {
    int last_x = -1, last_y = 0;
    for (std::size_t i = 0; i < plot.values.size(); ++i) {
      if (!std::isfinite(plot.values[i])) {
        last_x = -1;
        continue;
      }
      const int px = x + static_cast<int>(share(static_cast<double>(i), 0,
                                                static_cast<double>(std::max<std::size_t>(plot.columns - 1, 1))) *
                                          w);
      const int py = y + h - static_cast<int>(share(plot.values[i], plot.low, plot.high) * h);
      canvas.line(last_x < 0 ? px : last_x, last_x < 0 ? py : last_y, px, py, kInk);
      last_x = px;
      last_y = py;
    }
    draw_axes(canvas, plot, box, {0, static_cast<double>(std::max<std::size_t>(plot.columns, 2) - 1)},
              {plot.low, plot.high});
  } else {
    const std::vector<double> grid = resample(plot, static_cast<std::size_t>(h), static_cast<std::size_t>(w));
    for (int row = 0; row < h; ++row)
      for (int column = 0; column < w; ++column) {
        const double value =
            grid[static_cast<std::size_t>(row) * static_cast<std::size_t>(w) + static_cast<std::size_t>(column)];
        canvas.point(x + 1 + column, y + row, std::isfinite(value) ? heat(share(value, plot.low, plot.high)) : kGrey);
      }
    draw_axes(canvas, plot, box, {0, static_cast<double>(std::max<std::size_t>(plot.columns, 2) - 1)},
              {static_cast<double>(plot.rows - 1), 0});
  }
  if (coloured) draw_bar(canvas, x + w + 14, y, h, plot.low, plot.high);
  return canvas;
}

std::string draw_ascii(const Plot& plot, std::size_t width, std::size_t height) {
  constexpr std::string_view kShades = " .:-=+*#%@";
  std::vector<std::string> lines;
  if (plot.points || plot.rows == 1) {
    Limits across, up = limits_of(plot.points ? plot.y : plot.values);
    if (plot.points)
      across = limits_of(plot.x);
    else
      across = {0, static_cast<double>(std::max<std::size_t>(plot.columns, 2) - 1)};
    lines.assign(height, std::string(width, ' '));
    for (std::size_t i = 0; i < plot.values.size(); ++i) {
      const double px = plot.points ? plot.x[i] : static_cast<double>(i), py = plot.points ? plot.y[i] : plot.values[i];
      if (!std::isfinite(px) || !std::isfinite(py)) continue;
      const auto column = static_cast<std::size_t>(share(px, across.low, across.high) * static_cast<double>(width - 1));
      const auto row =
          height - 1 - static_cast<std::size_t>(share(py, up.low, up.high) * static_cast<double>(height - 1));
      lines[row][column] = '*';
    }
  } else {
    const std::size_t rows = std::min(height, plot.rows), columns = std::min(width, plot.columns);
    const std::vector<double> grid = resample(plot, rows, columns);
    for (std::size_t r = 0; r < rows; ++r) {
      std::string& line = lines.emplace_back();
      for (std::size_t c = 0; c < columns; ++c) {
        const double value = grid[r * columns + c];
        line +=
            std::isfinite(value)
                ? kShades[std::min<std::size_t>(9, static_cast<std::size_t>(share(value, plot.low, plot.high) * 10))]
                : '?';
      }
    }
  }
  std::string out = fmt::format("{}  {:.6g} .. {:.6g}\n", plot.title, plot.low, plot.high);
  for (const std::string& line : lines) out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  return out;
}

int run(const Flags& flags, const Globals& globals) {
  if (!flags.ascii && flags.out.empty())
    fail(ErrorKind::invalid_argument, "where to? --out FILE.png, or --ascii for the terminal");
  if (flags.part.fields) fail(ErrorKind::invalid_argument, "a picture shows one field: --field NAME");
  const std::shared_ptr<Array> array = open_array(flags.uri, flags.open, globals);
  const Plot plot = gather(*array, flags, globals);
  const auto within = [](std::optional<std::uint64_t> n, std::uint64_t common, std::uint64_t least,
                         std::uint64_t most) { return std::clamp(n.value_or(common), least, most); };
  if (flags.ascii) {
    print(draw_ascii(plot, within(flags.width, 72, 8, 1000), within(flags.height, 24, 4, 1000)));
    return kOk;
  }
  FileWriter file(flags.out);
  file.write(draw(plot, static_cast<int>(within(flags.width, 800, 200, 8000)),
                  static_cast<int>(within(flags.height, 600, 150, 8000)))
                 .png());
  file.commit();
  return kOk;
}

}  // namespace

void describe_plot(Verb verb, Globals& globals) {
  auto flags = std::make_shared<Flags>();
  verb.argument("uri", flags->uri, "the array");
  verb.option("-o,--out", flags->out, "FILE", "PNG file to write")
      .flag("--ascii", flags->ascii, "draw in the terminal")
      .option("--field", flags->field, "NAME", "field to draw (default: the first)")
      .option("--width", flags->width, "N", "points across (default 800; 72 letters)")
      .option("--height", flags->height, "N", "points down (default 600; 24 letters)");
  flags->part.describe(verb);
  flags->open.describe(verb);
  verb.examples("  tegula plot temps --select '[0]' --out day0.png\n  tegula plot points --field mag --ascii")
      .run([flags, &globals] { return run(*flags, globals); });
}

}  // namespace tegula::cli
