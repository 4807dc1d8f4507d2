// Extremes, mean, nulls and a histogram of the cells of a field.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "query/language/int128.h"
#include "tegula/columns.h"

namespace tegula::cli {

inline constexpr std::size_t kBins = 20;

struct CellStats {
  std::string name;
  Datatype type;
  bool numeric = false;
  std::uint64_t cells = 0, nulls = 0, nans = 0;
  double min = std::numeric_limits<double>::infinity(), max = -std::numeric_limits<double>::infinity();
  // The same of integers and dates, which a double cannot always hold.
  std::optional<std::pair<Int128, Int128>> exact;
  double low = min, high = max;  // of the finite ones, which the histogram shows
  // Welford's running mean and sum of squared distances.
  double mean = 0, squares = 0;
  std::uint64_t numbers = 0;
  std::array<std::uint64_t, kBins> bins{};

  bool whole() const { return type.is_integer() || type.is_date(); }
  double deviation() const;
};

// Adds the cells of a column. Everything but the histogram.
void measure(CellStats& stats, const Column& column, std::uint64_t cells);
// Adds them to the histogram, when all cells have been measured.
void fill_bins(CellStats& stats, const Column& column, std::uint64_t cells);

}  // namespace tegula::cli
