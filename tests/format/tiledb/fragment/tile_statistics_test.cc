// Statistics of tiles, against the plain loops that libtiledb runs.
#include "format/tiledb/fragment/tile_statistics.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "base/endian.h"
#include "format/tiledb/disk/with_type.h"

namespace tegula::tiledb {
namespace {

template <class T>
struct Expected {
  T low = std::numeric_limits<T>::max(), high = std::numeric_limits<T>::lowest();
  std::conditional_t<std::is_floating_point_v<T>, double,
                     std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>
      sum{};
};

// One value after the other; a sum that reaches the end of its type stays there.
template <class T>
Expected<T> one_by_one(const std::vector<T>& values) {
  Expected<T> out;
  using Sum = decltype(out.sum);
  using Limits = std::numeric_limits<Sum>;
  bool full = false;
  for (const T v : values) {
    out.low = out.low < v ? out.low : v;
    out.high = out.high > v ? out.high : v;
    const Sum add = static_cast<Sum>(v);
    if (full) continue;
    if (out.sum > 0 && add > Limits::max() - out.sum) {
      full = true;
      out.sum = Limits::max();
    } else if (out.sum < 0 && add < Limits::lowest() - out.sum) {
      full = true;
      out.sum = Limits::lowest();
    } else {
      out.sum += add;
    }
  }
  return out;
}

template <class T>
void compare(const std::string& name, TypeId type, const std::vector<T>& values) {
  SCOPED_TRACE(name);
  StoredField field;
  field.type = Datatype(type);
  TileColumn column;
  column.data.resize(values.size() * sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) store_le<T>(column.data.data() + i * sizeof(T), values[i]);
  const TileStatistics found = tile_statistics(field, column);
  const Expected<T> expected = one_by_one(values);
  Bytes low(sizeof(T)), high(sizeof(T));
  store_le<T>(low.data(), expected.low);
  store_le<T>(high.data(), expected.high);
  EXPECT_EQ(text_of(found.min), text_of(low));
  EXPECT_EQ(text_of(found.max), text_of(high));
  EXPECT_EQ(found.sum, std::bit_cast<std::uint64_t>(expected.sum));
}

TEST(TileStatistics, AreThoseOfAPlainLoop) {
  std::mt19937_64 random(5);
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();
  constexpr double kMost = std::numeric_limits<double>::max();
  for (const std::size_t n : {1u, 7u, 32u, 1000u}) {
    std::vector<float> floats(n);
    std::vector<double> doubles(n);
    std::vector<std::int64_t> longs(n);
    std::vector<std::uint8_t> bytes(n);
    for (std::size_t i = 0; i < n; ++i) {
      floats[i] = static_cast<float>(static_cast<std::int64_t>(random() % 2001) - 1000) / 7;
      doubles[i] = static_cast<double>(random() % 1000) / 3;
      longs[i] = static_cast<std::int64_t>(random() % 1000) - 500;
      bytes[i] = static_cast<std::uint8_t>(random());
    }
    compare("floats", TypeId::float32, floats);
    compare("doubles", TypeId::float64, doubles);
    compare("longs", TypeId::int64, longs);
    compare("bytes", TypeId::uint8, bytes);
    for (const float odd : {kNan, kInf, -kInf, 0.0f, -0.0f})
      for (const std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
        std::vector<float> values = floats;
        for (float& v : values) v = std::abs(v);
        values[at] = odd;
        if (n > 2) values[(at + 1) % n] = std::signbit(odd) ? 0.0f : -0.0f;
        compare("odd floats", TypeId::float32, values);
      }
    for (const double sign : {1.0, -1.0}) {
      std::vector<double> values = doubles;
      values[0] = sign * kMost * 0.75;
      values[n / 2] = sign * kMost * 0.5;
      values[n - 1] = -sign;
      compare("large doubles", TypeId::float64, values);
    }
    for (const std::int64_t large : {INT64_MAX, INT64_MIN, INT64_MAX / 2 + 10, INT64_MIN / 2 - 10}) {
      std::vector<std::int64_t> values = longs;
      values[0] = values[n / 2] = large;
      compare("large longs", TypeId::int64, values);
      std::vector<std::uint64_t> unsigned_values(values.begin(), values.end());
      compare("large unsigned", TypeId::uint64, unsigned_values);
    }
  }
}

}  // namespace
}  // namespace tegula::tiledb
