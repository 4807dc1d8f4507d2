#include "base/product.h"

#include <gtest/gtest.h>

#include <vector>

namespace tegula {
namespace {

TEST(Product, SaturatesOrHasNoValue) {
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 32;
  EXPECT_EQ(saturated_product(3, 5), 15u);
  EXPECT_EQ(saturated_product(kHalf, kHalf), UINT64_MAX);
  EXPECT_EQ(saturated_product(std::vector<std::uint64_t>{}), 1u);
  EXPECT_EQ(saturated_product(std::vector<std::uint64_t>{kHalf, kHalf, 2}), UINT64_MAX);
  EXPECT_EQ(checked_product(3, 5), 15u);
  EXPECT_EQ(checked_product(3, 5, 15), 15u);
  EXPECT_EQ(checked_product(3, 5, 14), std::nullopt);
  EXPECT_EQ(checked_product(kHalf, kHalf), std::nullopt);
  EXPECT_EQ(checked_product(0, UINT64_MAX, 0), 0u);
}

}  // namespace
}  // namespace tegula
