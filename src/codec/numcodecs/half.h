// Half precision as a number, for templates over all types of numbers.
#pragma once

#include <cstdint>

#include "base/half.h"

namespace tegula::codec {

struct Half {
  std::uint16_t bits = 0;

  Half() = default;
  // Rounds to the nearest, halves to even; too large becomes infinite; a NaN stays one.
  explicit Half(double value) : bits(half_from_double(value)) {}
  explicit operator double() const { return half_to_float(bits); }
};

}  // namespace tegula::codec
