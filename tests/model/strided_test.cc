#include "model/strided.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace tegula {
namespace {

using Shape = std::vector<std::uint64_t>;

std::vector<std::int32_t> numbered(std::uint64_t n) {
  std::vector<std::int32_t> out(n);
  std::iota(out.begin(), out.end(), 1);
  return out;
}

TEST(CopyBox, MeltsAndTransposes) {
  const std::vector<std::int32_t> from = numbered(24);
  std::vector<std::int32_t> to(24);
  const Shape shape = {2, 3, 4};
  copy_box(reinterpret_cast<std::byte*>(to.data()), contiguous_strides(shape, 4, true),
           reinterpret_cast<const std::byte*>(from.data()), contiguous_strides(shape, 4), shape, 4);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 4; ++k)
        EXPECT_EQ(to[static_cast<std::size_t>(i + 2 * j + 6 * k)], from[static_cast<std::size_t>(i * 12 + j * 4 + k)]);
}

}  // namespace
}  // namespace tegula
