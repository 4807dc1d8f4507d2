#include "base/half.h"

#include <gtest/gtest.h>

namespace tegula {
namespace {

TEST(Half, EveryValueComesBack) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    if ((half & 0x7C00) == 0x7C00 && (half & 0x3FF)) continue;
    ASSERT_EQ(half_from_double(half_to_float(half)), half);
  }
  EXPECT_EQ(half_from_double(1 + 0x1p-11), 0x3C00);  // a tie goes to even
  EXPECT_EQ(half_from_double(0x1p-25), 0);
  EXPECT_EQ(half_from_double(65519.9), 0x7BFF);
}

}  // namespace
}  // namespace tegula
