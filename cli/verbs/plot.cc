// `tegula plot`: a picture of a 1-d or 2-d part, or of sparse points.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/verbs.h"
#include "base/fail.h"
#include "files/file_writer.h"
#include "output/output.h"
#include "picture/canvas.h"
#include "query/request/iso_dates.h"
#include "query/request/request.h"
#include "run/opening.h"
#include "run/plot_cells.h"
#include "run/reading.h"
#include "run/written_part.h"

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

// Where a value lies between two ends, 0 to 1; in halves, because the distance of the ends may overflow.
double share(double value, double low, double high) {
  if (high == low || !std::isfinite(value)) return 0.5;
  return std::clamp((value / 2 - low / 2) / (high / 2 - low / 2), 0.0, 1.0);
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

// Grey for nulls, NaN and infinities.
Colour colour_of(const Plot& plot, double value) {
  return std::isfinite(value) ? heat(share(value, plot.low, plot.high)) : kGrey;
}

struct Box {
  int x, y, width, height;
};

// Round numbers between two ends, in either direction: multiples of 1, 2 or 5 times a power of ten.
std::vector<double> ticks(double from, double to) {
  const double low = std::min(from, to), span = std::abs(to - from);
  if (!(span > 0)) return {from};
  if (!std::isfinite(span)) return {from, to};
  constexpr int kAbout = 5;
  const double power = std::pow(10, std::floor(std::log10(span / kAbout)));
  double step = power;
  for (const double factor : {2.0, 5.0, 10.0})
    if (span / step > kAbout + 1) step = factor * power;
  if (!(step > 0)) return {from};
  std::vector<double> out;
  const double first = std::ceil(low / step - 1e-9);
  // Counted, because far from 0 the next multiple may be the same double.
  for (int i = 0; i < 3 * kAbout; ++i) {
    const double value = (first + i) * step;
    if (!std::isfinite(value) || value > low + span * (1 + 1e-9)) break;
    if (out.empty() || value > out.back()) out.push_back(value == 0 ? 0.0 : value);
  }
  return out;
}

// With enough digits to tell the ticks of an axis of length `span` apart.
std::string tick_text(double value, double span) {
  const double largest = std::max(std::abs(value), span);
  const int digits = span > 0 && std::isfinite(span) ? static_cast<int>(std::log10(largest / span)) + 5 : 5;
  return fmt::format("{:.{}g}", value, std::clamp(digits, 5, 17));
}

// Days, with the time of day when the span is short.
std::string date_tick_text(double value, double span, const Datatype& type) {
  if (std::abs(value) > 9.2e18) return "";
  const std::string text = date_text(type, static_cast<std::int64_t>(value));
  const std::string other = date_text(type, static_cast<std::int64_t>(std::min(value + span / 3, 9.2e18)));
  for (const std::size_t length : {10, 16, 19})
    if (text.size() <= length || text.compare(0, length, other, 0, length) != 0) return text.substr(0, length);
  return text;
}

void draw_axes(Canvas& canvas, const Plot& plot, const Box& box, const Ends& across, const Ends& up) {
  const auto [x, y, width, height] = box;
  canvas.line(x, y + height, x + width, y + height, {0, 0, 0});
  canvas.line(x, y, x, y + height, {0, 0, 0});
  for (const double value : ticks(across.from, across.to)) {
    const int at = x + static_cast<int>(share(value, across.from, across.to) * width);
    const double span = std::abs(across.to - across.from);
    const std::string text =
        plot.x_type.id == TypeId::datetime ? date_tick_text(value, span, plot.x_type) : tick_text(value, span);
    canvas.line(at, y + height, at, y + height + 4, {0, 0, 0});
    canvas.text(at - Canvas::text_width(text) / 2, y + height + 8, text);
  }
  for (const double value : ticks(up.from, up.to)) {
    const int at = y + height - static_cast<int>(share(value, up.from, up.to) * height);
    const std::string text = tick_text(value, std::abs(up.to - up.from));
    canvas.line(x - 4, at, x, at, {0, 0, 0});
    canvas.text(std::max(0, x - 8 - Canvas::text_width(text)), at - 3, text);
  }
  canvas.text(x + width / 2 - Canvas::text_width(plot.x_name) / 2, y + height + 24, plot.x_name);
  canvas.text(4, y - 18, plot.y_name);
}

void draw_bar(Canvas& canvas, int x, int y, int height, double low, double high) {
  for (int i = 0; i < height; ++i) canvas.fill(x, y + i, kBar, 1, heat(1 - static_cast<double>(i) / height));
  for (const double value : ticks(low, high)) {
    const int at = y + height - static_cast<int>(share(value, low, high) * height);
    canvas.line(x + kBar, at, x + kBar + 3, at, {0, 0, 0});
    canvas.text(x + kBar + 6, at - 3, tick_text(value, std::abs(high - low)));
  }
}

// A cell of a heat map reaches half a step to either side of its coordinate.
Ends with_borders(const Ends& ends, std::uint64_t count) {
  const double half = count > 1 ? (ends.to - ends.from) / static_cast<double>(count - 1) / 2 : 0.5;
  return {ends.from - half, ends.to + half};
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
      canvas.fill(px - 1, py - 1, 3, 3, coloured ? colour_of(plot, plot.values[i]) : kInk);
    }
    draw_axes(canvas, plot, box, {across.low, across.high}, {up.low, up.high});
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
    draw_axes(canvas, plot, box, plot.across, {plot.low, plot.high});
  } else {
    const std::vector<double> grid = resample(plot, static_cast<std::size_t>(h), static_cast<std::size_t>(w));
    for (int row = 0; row < h; ++row)
      for (int column = 0; column < w; ++column) {
        const double value =
            grid[static_cast<std::size_t>(row) * static_cast<std::size_t>(w) + static_cast<std::size_t>(column)];
        canvas.point(x + 1 + column, y + row, colour_of(plot, value));
      }
    const Ends across = with_borders(plot.across, plot.cells_across), down = with_borders(plot.down, plot.cells_down);
    draw_axes(canvas, plot, box, across, {down.to, down.from});
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
  const Schema& schema = array->schema();
  if (schema.attributes.empty()) fail(ErrorKind::invalid_argument, "the array has no attribute to draw");
  const std::string field = flags.field ? field_named(*flags.field, schema) : schema.attributes[0].name;
  Query query = flags.part.query(schema, globals);
  leave_out_the_unwritten(query, *array);
  const auto within = [](std::optional<std::uint64_t> n, std::uint64_t common, std::uint64_t least,
                         std::uint64_t most) { return std::clamp(n.value_or(common), least, most); };
  const std::size_t width = flags.ascii ? within(flags.width, 72, 8, 1000) : within(flags.width, 800, 200, 8000);
  const std::size_t height = flags.ascii ? within(flags.height, 24, 4, 1000) : within(flags.height, 600, 150, 8000);
  Plot plot = gather_plot(*array, std::move(query), field, width, height);
  plot.title = field.empty() ? flags.uri.substr(flags.uri.rfind('/') + 1) : field;
  if (flags.ascii) {
    print(draw_ascii(plot, width, height));
    return kOk;
  }
  FileWriter file(flags.out);
  file.write(draw(plot, static_cast<int>(width), static_cast<int>(height)).png());
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
