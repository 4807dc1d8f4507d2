// Space tiles along dimensions of floats.
#pragma once

#include <concepts>
#include <cstdint>

namespace tegula::tiledb {

// The index of the space tile of a value, counted from the start of the domain. It never falls when the value rises:
// 0 below the domain and for NaN, the largest index where the format's own would exceed 64 bits.
template <std::floating_point T>
constexpr std::uint64_t float_tile(T value, T low, T extent) {
  const T tile = (value - low) / extent;
  if (!(tile > 0)) return 0;
  return tile < static_cast<T>(0x1p64) ? static_cast<std::uint64_t>(tile) : UINT64_MAX;
}

}  // namespace tegula::tiledb
