#include "text/cell_stats.h"

#include <algorithm>
#include <cmath>

#include "query/language/literal.h"
#include "text/numbers.h"

namespace tegula::cli {

double CellStats::deviation() const { return numbers ? std::sqrt(squares / static_cast<double>(numbers)) : 0; }

void measure(CellStats& stats, const Column& column, std::uint64_t cells) {
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
    stats.low = std::min(stats.low, x);
    stats.high = std::max(stats.high, x);
    if (stats.whole()) {
      const Int128 n = load_integer(column.type, column.data.data() + i * column.type.size);
      if (!stats.exact) stats.exact.emplace(n, n);
      stats.exact = {std::min(stats.exact->first, n), std::max(stats.exact->second, n)};
    }
    ++stats.numbers;
    const double distance = x - stats.mean;
    stats.mean += distance / static_cast<double>(stats.numbers);
    stats.squares += distance * (x - stats.mean);
  }
}

void fill_bins(CellStats& stats, const Column& column, std::uint64_t cells) {
  if (!stats.numeric || stats.low >= stats.high) return;
  for (std::uint64_t i = 0; i < cells; ++i) {
    const double x = number_at(column, i);
    if (!std::isfinite(x)) continue;
    // In halves, because the distance of the ends may overflow.
    const double share = (x / 2 - stats.low / 2) / (stats.high / 2 - stats.low / 2);
    ++stats.bins[std::min(kBins - 1, static_cast<std::size_t>(share * kBins))];
  }
}

}  // namespace tegula::cli
