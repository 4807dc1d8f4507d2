// IEEE 754 half precision, as bits: not every compiler has a type for it.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace tegula {

// Every half is a float.
inline float half_to_float(std::uint16_t half) noexcept {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1F;
  const std::uint32_t mantissa = half & 0x3FF;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  const std::uint32_t rebased = exponent == 31 ? 0xFF : exponent + 112;
  return std::bit_cast<float>(sign | (rebased << 23) | (mantissa << 13));
}

// The nearest half, ties to even; beyond the range an infinity. A NaN keeps what fits of its bits.
inline std::uint16_t half_from_double(double value) noexcept {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  if (std::isnan(value))
    return sign | 0x7E00 | static_cast<std::uint16_t>(std::bit_cast<std::uint64_t>(value) >> 42 & 0x1FF);
  if (magnitude >= 65520) return sign | 0x7C00;
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  // Halves of one binade are multiples of a step; below 2^-14 the step no longer shrinks.
  const int step = std::max(exponent, -13) - 11;
  const auto steps = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, -step)));
  if (steps < 1024) return sign | static_cast<std::uint16_t>(steps);
  // A carry out of the mantissa lands in the exponent, which is where it belongs.
  return sign | static_cast<std::uint16_t>((static_cast<std::uint32_t>(step + 24) << 10) + steps);
}

}  // namespace tegula
