#include "codec/numcodecs/half.h"

#include <gtest/gtest.h>

namespace tegula::codec {
namespace {

TEST(Half, EveryValueComesBack) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    Half half;
    half.bits = static_cast<std::uint16_t>(bits);
    const double value = static_cast<double>(half);
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(static_cast<double>(Half(value))));
    else
      ASSERT_EQ(Half(value).bits, bits);
  }
}

}  // namespace
}  // namespace tegula::codec
