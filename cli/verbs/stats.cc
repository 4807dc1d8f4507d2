// `tegula stats`: extremes, mean, nulls and a histogram per field.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "app/verbs.h"
#include "base/fail.h"
#include "output/output.h"
#include "query/request/iso_dates.h"
#include "run/opening.h"
#include "run/reading.h"
#include "run/written_part.h"
#include "schema/schema_text.h"
#include "text/cell_stats.h"

namespace tegula::cli {

namespace {

struct Flags {
  std::string uri;
  OpenFlags open;
  PartFlags part;
};

constexpr std::size_t kBarWidth = 40;

void scan(const Array& array, const Query& query, const auto& each_batch) {
  const std::unique_ptr<BatchStream> batches = array.query(query);
  while (const std::optional<Batch> batch = batches->next()) each_batch(*batch);
}

// Of min or max, as a person reads it.
std::string extreme_text(const CellStats& stats, bool max) {
  if (!stats.exact) return fmt::format("{:.6g}", max ? stats.max : stats.min);
  const Int128 n = max ? stats.exact->second : stats.exact->first;
  return stats.type.is_date() ? date_text(stats.type, static_cast<std::int64_t>(n)) : fmt::format("{}", n);
}

// Where a bar of the histogram begins.
std::string bin_text(const CellStats& stats, std::size_t bin) {
  const double part = static_cast<double>(bin) / kBins, x = stats.low * (1 - part) + stats.high * part;
  if (stats.type.is_date() && std::fabs(x) < 9.2e18) return date_text(stats.type, static_cast<std::int64_t>(x));
  return fmt::format("{:.4g}", x);
}

std::string bar(std::uint64_t count, std::uint64_t most) {
  constexpr const char* kParts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths =
      static_cast<std::size_t>(std::ceil(static_cast<double>(count) / static_cast<double>(most) * kBarWidth * 8));
  std::string out;
  for (std::size_t i = 0; i < eighths / 8; ++i) out += "█";
  return out + kParts[eighths % 8];
}

std::string stats_text(const CellStats& stats) {
  std::string out = fmt::format("{}  {}\n", stats.name.empty() ? "(unnamed)" : stats.name, display_name(stats.type));
  out += fmt::format("  cells {}", stats.cells);
  if (stats.nulls) out += fmt::format(", null {}", stats.nulls);
  if (stats.nans) out += fmt::format(", nan {}", stats.nans);
  if (!stats.numeric || stats.cells == stats.nulls + stats.nans) return out + "\n";
  out += fmt::format(", min {}, max {}", extreme_text(stats, false), extreme_text(stats, true));
  if (stats.numbers && !stats.type.is_date())
    out += fmt::format(", mean {:.6g}, std {:.6g}", stats.mean, stats.deviation());
  out += '\n';
  const std::uint64_t most = *std::max_element(stats.bins.begin(), stats.bins.end());
  if (most == 0) return out;
  for (std::size_t b = 0; b < kBins; ++b)
    out += fmt::format("  {:>12} {}{}{}\n", bin_text(stats, b), bar(stats.bins[b], most), stats.bins[b] ? " " : "",
                       stats.bins[b]);
  return out;
}

void write_stats(JsonWriter& json, const CellStats& stats) {
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
    for (const bool max : {false, true}) {
      json.key(max ? "max" : "min");
      if (stats.exact)
        json.raw(fmt::format("{}", max ? stats.exact->second : stats.exact->first));
      else
        some ? json.number(max ? stats.max : stats.min) : json.raw("null");
    }
    for (const auto& [key, value] : {std::pair("mean", stats.mean), std::pair("std", stats.deviation())}) {
      json.key(key);
      some ? json.number(value) : json.raw("null");
    }
    json.key("histogram").begin('[');
    for (const std::uint64_t count : stats.bins) json.number(count);
    json.end(']').key("histogram_range");
    stats.numbers ? json.begin('[').number(stats.low).number(stats.high).end(']') : json.raw("null");
  }
  json.end('}');
}

int show(const Flags& flags, const Globals& globals) {
  const std::shared_ptr<Array> array = open_array(flags.uri, flags.open, globals);
  Query query = flags.part.query(array->schema(), globals);
  leave_out_the_unwritten(query, *array);
  std::vector<CellStats> stats;
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
    for (const CellStats& field : stats) write_stats(json, field);
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
