// The cells of a picture: gathered batch by batch, and thinned out where there are more than a picture can show.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "tegula/array.h"

namespace tegula::cli {

// The coordinates at the two ends of an axis, in the order that it is drawn.
struct Ends {
  double from = 0, to = 0;
};

// The least and the greatest finite number.
struct Limits {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  void add(double v) {
    if (!std::isfinite(v)) return;
    low = std::fmin(low, v);
    high = std::fmax(high, v);
  }
  void settle() {
    if (low > high) low = high = 0;
  }
};
Limits limits_of(const std::vector<double>& values);

// What is drawn: a grid of values (heat map, line when it has one row), or points. A grid of many cells is thinned:
// each value is the mean of several, in a line their least and greatest in turn. Of many points one is kept for each
// place.
struct Plot {
  std::string title, x_name, y_name;
  Ends across, down;  // grid only: of the first and the last cell
  Datatype x_type = TypeId::float64;
  std::size_t rows = 0, columns = 0;               // of `values`
  std::uint64_t cells_down = 0, cells_across = 0;  // of the array
  std::vector<double> values;                      // grid: row by row; points: one each
  std::vector<double> x, y;                        // points only
  double low = 0, high = 0;                        // of the finite values
  bool points = false;
};

// `query` says which part, `field` what is drawn, in a picture of that many points across and down. Throws
// invalid_argument for what cannot be drawn in two dimensions.
Plot gather_plot(const Array& array, Query query, const std::string& field, std::size_t width, std::size_t height);

}  // namespace tegula::cli
