// `tegula stats`: extremes, mean, nulls and a histogram per field.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/fail.h"
#include "iso_dates.h"
#include "numbers.h"
#include "opening.h"
#include "output.h"
#include "reading.h"
#include "schema_text.h"
#include "verbs.h"
#include "written_part.h"

namespace tegula::cli {

namespace {

struct Flags {
  std::string uri;
  OpenFlags open;
  PartFlags part;
};

constexpr std::size_t kBins = 20;
constexpr std::size_t kBarWidth = 40;

struct FieldStats {
  std::string name;
  Datatype type;
  bool numeric = false;
  std::uint64_t cells = 0, nulls = 0, nans = 0;
  double min = std::numeric_limits<double>::infinity(), max = -std::numeric_limits<double>::infinity();
  // Welford's running mean and sum of squared distances.
  double mean = 0, squares = 0;
  std::uint64_t numbers = 0;
  std::array<std::uint64_t, kBins> bins{};

  double deviation() const { return numbers ? std::sqrt(squares / static_cast<double>(numbers)) : 0; }
};

void scan(const Array& array, const Query& query, const auto& each_batch) {
  const std::unique_ptr<BatchStream> batches = array.query(query);
  while (const std::optional<Batch> batch = batches->next()) each_batch(*batch);
}

void measure(FieldStats& stats, const Column& column, std::uint64_t cells) {
  stats.name = column.name;
  stats.type = column.type;
  stats.numeric = is_numeric(column.type, column.values_per_cell);
  stats.cells += cells;
  for (std::uint64_t i = 0; i < cells; ++i) {
    if (!column.valid(i)) {
      ++stats.nulls;
      continue;
    }
    if (!stats.numeric) continue;
    const double x = number_at(column, i);
    if (std::isnan(x)) {
      ++stats.nans;
      continue;
    }
    stats.min = std::min(stats.min, x);
    stats.max = std::max(stats.max, x);
    if (!std::isfinite(x)) continue;
    ++stats.numbers;
    const double distance = x - stats.mean;
    stats.mean += distance / static_cast<double>(stats.numbers);
    stats.squares += distance * (x - stats.mean);
  }
}

void fill_bins(FieldStats& stats, const Column& column, std::uint64_t cells) {
  if (!stats.numeric || !std::isfinite(stats.min) || !std::isfinite(stats.max)) return;
  const double scale = stats.max > stats.min ? kBins / (stats.max - stats.min) : 0;
  for (std::uint64_t i = 0; i < cells; ++i) {
    const double x = number_at(column, i);
    if (!std::isnan(x)) ++stats.bins[std::min(kBins - 1, static_cast<std::size_t>((x - stats.min) * scale))];
  }
}

std::string number_text(const FieldStats& stats, double x) {
  if (stats.type.is_date() && std::fabs(x) < 9.2e18) return date_text(stats.type, static_cast<std::int64_t>(x));
  if (stats.type.is_integer() && std::fabs(x) < 1e15) return fmt::format("{:.0f}", x);
  return fmt::format("{:.6g}", x);
}

std::string bar(std::uint64_t count, std::uint64_t most) {
  constexpr const char* kParts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths =
      static_cast<std::size_t>(std::ceil(static_cast<double>(count) / static_cast<double>(most) * kBarWidth * 8));
  std::string out;
  for (std::size_t i = 0; i < eighths / 8; ++i) out += "█";
  return out + kParts[eighths % 8];
}

std::string stats_text(const FieldStats& stats) {
  std::string out = fmt::format("{}  {}\n", stats.name.empty() ? "(unnamed)" : stats.name, display_name(stats.type));
  out += fmt::format("  cells {}", stats.cells);
  if (stats.nulls) out += fmt::format(", null {}", stats.nulls);
  if (stats.nans) out += fmt::format(", nan {}", stats.nans);
  if (!stats.numeric || stats.cells == stats.nulls + stats.nans) return out + "\n";
  out += fmt::format(", min {}, max {}", number_text(stats, stats.min), number_text(stats, stats.max));
  if (stats.numbers && !stats.type.is_date())
    out += fmt::format(", mean {:.6g}, std {:.6g}", stats.mean, stats.deviation());
  out += '\n';
  const std::uint64_t most = *std::max_element(stats.bins.begin(), stats.bins.end());
  if (most == 0 || stats.max <= stats.min) return out;
  const double width = (stats.max - stats.min) / kBins;
  for (std::size_t b = 0; b < kBins; ++b) {
    const std::string low = stats.type.is_date() ? number_text(stats, stats.min + width * static_cast<double>(b))
                                                 : fmt::format("{:.4g}", stats.min + width * static_cast<double>(b));
    out += fmt::format("  {:>12} {}{}{}\n", low, bar(stats.bins[b], most), stats.bins[b] ? " " : "", stats.bins[b]);
  }
  return out;
}

void write_stats(JsonWriter& json, const FieldStats& stats) {
  json.key(stats.name)
      .begin('{')
      .key("type")
      .text(display_name(stats.type))
      .key("cells")
      .number(stats.cells)
      .key("null_count")
      .number(stats.nulls);
  if (stats.numeric) {
    json.key("nan_count").number(stats.nans);
    const bool some = stats.cells > stats.nulls + stats.nans;
    for (const auto& [key, value] : {std::pair("min", stats.min), std::pair("max", stats.max),
                                     std::pair("mean", stats.mean), std::pair("std", stats.deviation())}) {
      json.key(key);
      some ? json.number(value) : json.raw("null");
    }
    json.key("histogram").begin('[');
    for (const std::uint64_t count : stats.bins) json.number(count);
    json.end(']');
  }
  json.end('}');
}

int show(const Flags& flags, const Globals& globals) {
  const std::shared_ptr<Array> array = open_array(flags.uri, flags.open, globals);
  Query query = flags.part.query(array->schema(), globals);
  leave_out_the_unwritten(query, *array);
  std::vector<FieldStats> stats;
  scan(*array, query, [&](const Batch& batch) {
    stats.resize(batch.columns.size());
    for (std::size_t c = 0; c < stats.size(); ++c) measure(stats[c], batch.columns[c], batch.cells);
  });
  scan(*array, query, [&](const Batch& batch) {
    for (std::size_t c = 0; c < stats.size(); ++c) fill_bins(stats[c], batch.columns[c], batch.cells);
  });
  if (globals.json) {
    JsonWriter json;
    json.begin('{');
    for (const FieldStats& field : stats) write_stats(json, field);
    print(json.end('}').line());
    return kOk;
  }
  for (std::size_t i = 0; i < stats.size(); ++i) print((i > 0 ? "\n" : "") + stats_text(stats[i]));
  return kOk;
}

}  // namespace

void describe_stats(Verb verb, Globals& globals) {
  auto flags = std::make_shared<Flags>();
  verb.argument("uri", flags->uri, "the array");
  flags->part.describe(verb);
  flags->open.describe(verb);
  verb.examples("  tegula stats temps\n  tegula stats points --fields mag --where 'mag > 0'").run([flags, &globals] {
    return show(*flags, globals);
  });
}

}  // namespace tegula::cli
