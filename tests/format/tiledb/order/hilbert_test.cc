#include "format/tiledb/order/hilbert.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "format/tiledb/fields.h"
#include "format/tiledb/hex.h"

namespace tegula::tiledb {
namespace {

ArraySchema grid(std::size_t dimensions, std::int32_t high) {
  ArraySchema schema;
  schema.sparse = true;
  for (std::size_t i = 0; i < dimensions; ++i) {
    SchemaDimension dimension = testing::dimension("d", 0);
    value_to_bytes(dimension.type, Value(std::int64_t{0}), dimension.domain);
    value_to_bytes(dimension.type, Value(std::int64_t{high}), dimension.domain);
    schema.dimensions.push_back(dimension);
  }
  return schema;
}

// Along the curve, neighbours differ by one step along one axis: that makes it Hilbert's and no other.
TEST(Hilbert, the_curve_is_continuous) {
  for (const std::size_t dimensions : {2, 3}) {
    SCOPED_TRACE(dimensions);
    const HilbertCurve curve(grid(dimensions, 1), true);
    const unsigned bits = curve.bits();
    const std::uint64_t side = 8;
    const std::uint64_t cell = std::uint64_t{1} << (bits - 3);
    std::uint64_t count = 1;
    for (std::size_t i = 0; i < dimensions; ++i) count *= side;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> order;
    for (std::uint64_t i = 0; i < count; ++i) {
      std::vector<std::uint64_t> x(dimensions);
      for (std::size_t d = 0, rest = i; d < dimensions; ++d, rest /= side) x[d] = rest % side * cell;
      order.emplace_back(curve.place(x), i);
    }
    std::sort(order.begin(), order.end());
    for (std::uint64_t k = 1; k < count; ++k) {
      std::uint64_t steps = 0;
      for (std::uint64_t d = 0, a = order[k - 1].second, b = order[k].second; d < dimensions; ++d, a /= side, b /= side)
        steps += a % side > b % side ? a % side - b % side : b % side - a % side;
      EXPECT_EQ(steps, 1u) << "between places " << k - 1 << " and " << k;
    }
  }
}

TEST(Hilbert, buckets) {
  const HilbertCurve by_range(grid(2, 3), true), by_count(grid(2, 3), false);
  const std::uint64_t most = (std::uint64_t{1} << 31) - 1;
  const Bytes three = testing::hex("03000000"), zero = testing::hex("00000000");
  EXPECT_EQ(by_range.bucket(0, three), most);
  EXPECT_EQ(by_count.bucket(0, three), static_cast<std::uint64_t>(0.75 * static_cast<double>(most)));
  EXPECT_EQ(by_range.bucket(0, zero), 0u);
  EXPECT_EQ(HilbertCurve(grid(1, 0), true).bucket(0, zero), 0u);  // a domain of one value

  ArraySchema text = grid(1, 3);
  text.dimensions.push_back(testing::dimension("s", 11, kVar));
  const HilbertCurve mixed(text, true);
  EXPECT_EQ(mixed.bucket(1, bytes_of("a")), 0x6100000000000000u >> 33);
  EXPECT_EQ(mixed.bucket(1, bytes_of("")), 0u);
  EXPECT_LT(mixed.bucket(1, bytes_of("abcdefgh")), mixed.bucket(1, bytes_of("b")));
}

}  // namespace
}  // namespace tegula::tiledb
