// IEEE 754 half precision, for machines and compilers without it.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace tegula::codec {

struct Half {
  std::uint16_t bits = 0;

  Half() = default;
  // Rounds to the nearest, halves to even; too large becomes infinite; a NaN stays one.
  explicit Half(double value) {
    const auto wide = std::bit_cast<std::uint64_t>(value);
    const auto sign = static_cast<std::uint16_t>(wide >> 48 & 0x8000);
    const double size = std::fabs(value);
    if (std::isnan(value)) {
      bits = static_cast<std::uint16_t>(sign | 0x7e00 | (wide >> 42 & 0x01ff));
    } else if (size >= 65520) {
      bits = sign | 0x7c00;
    } else if (size < 0x1p-14) {
      bits = static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(std::nearbyint(size * 0x1p24)));
    } else {
      const int exponent = static_cast<int>(wide >> 52 & 0x7ff) - 1023;
      const auto fraction = static_cast<std::uint16_t>(std::nearbyint(std::ldexp(size, 10 - exponent)));  // 1024..2048
      bits = static_cast<std::uint16_t>(sign | (((exponent + 15) << 10) + (fraction - 1024)));
    }
  }
  explicit operator double() const {
    const int exponent = bits >> 10 & 0x1f;
    const int fraction = bits & 0x3ff;
    if (exponent == 31 && fraction != 0)
      return std::bit_cast<double>(std::uint64_t{0x7ff8} << 48 | std::uint64_t{bits & 0x8000u} << 48 |
                                   static_cast<std::uint64_t>(fraction) << 42);
    const double size = exponent == 31  ? HUGE_VAL
                        : exponent == 0 ? std::ldexp(fraction, -24)
                                        : std::ldexp(fraction + 1024, exponent - 25);
    return bits & 0x8000 ? -size : size;
  }
};

}  // namespace tegula::codec
