#include "format/tiledb/order/float_tile.h"

#include <gtest/gtest.h>

#include <limits>

namespace tegula::tiledb {
namespace {

template <class T>
void expect_tiles() {
  constexpr T kMax = std::numeric_limits<T>::max();
  EXPECT_EQ(float_tile<T>(T(7.5), 0, 2), 3u);
  EXPECT_EQ(float_tile<T>(-5, 0, 2), 0u);
  EXPECT_EQ(float_tile<T>(std::numeric_limits<T>::quiet_NaN(), 0, 2), 0u);
  EXPECT_EQ(float_tile<T>(T(0x1p63), 0, 1), std::uint64_t{1} << 63);
  // From 2^64 on, where a cast is undefined.
  EXPECT_EQ(float_tile<T>(T(0x1p64), 0, 1), UINT64_MAX);
  EXPECT_EQ(float_tile<T>(kMax, -kMax, 1), UINT64_MAX);
  EXPECT_EQ(float_tile<T>(std::numeric_limits<T>::infinity(), 0, 1), UINT64_MAX);
}

TEST(FloatTile, IsDefinedForEveryValue) {
  expect_tiles<float>();
  expect_tiles<double>();
}

}  // namespace
}  // namespace tegula::tiledb
