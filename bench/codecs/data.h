// The inputs that every codec benchmark works on: one 64 KB chunk, the size that TileDB cuts tiles into.
#pragma once

#include <cmath>
#include <cstring>
#include <random>

#include "tegula/bytes.h"

namespace tegula::bench {

inline constexpr std::size_t kChunk = 65536;

// float32 measurements: a slow wave and a little noise, rounded as sensors do.
inline Bytes smooth_floats(std::size_t bytes = kChunk) {
  std::mt19937 random(42);
  Bytes out(bytes);
  for (std::size_t i = 0; i < bytes / 4; ++i) {
    const double wave = 300 * std::sin(0.002 * static_cast<double>(i)), noise = static_cast<double>(random() % 8) / 8;
    const auto v = static_cast<float>(std::round(8 * (wave + noise)) / 8);
    std::memcpy(out.data() + 4 * i, &v, 4);
  }
  return out;
}

// Ascending int64, as offsets and timestamps are.
inline Bytes sorted_ints(std::size_t bytes = kChunk) {
  std::mt19937 random(43);
  Bytes out(bytes);
  std::int64_t v = 1'600'000'000;
  for (std::size_t i = 0; i < bytes / 8; ++i) {
    v += random() % 100;
    std::memcpy(out.data() + 8 * i, &v, 8);
  }
  return out;
}

// Bytes in runs, as validity maps are.
inline Bytes runs(std::size_t bytes = kChunk) {
  std::mt19937 random(44);
  Bytes out(bytes);
  for (std::size_t i = 0; i < bytes;) {
    const auto value = static_cast<std::byte>(random() & 1);
    for (std::size_t n = 1 + random() % 200; n > 0 && i < bytes; --n) out[i++] = value;
  }
  return out;
}

}  // namespace tegula::bench
