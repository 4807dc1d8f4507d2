#include "format/tiledb/maintain/box_index.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace tegula::tiledb {
namespace {

NdRange rectangle(std::int64_t x, std::int64_t width, std::int64_t y, std::int64_t height) {
  return {{x, x + width - 1}, {y, y + height - 1}};
}

std::set<std::size_t> found(const BoxIndex& index, const NdRange& place) {
  std::set<std::size_t> all;
  std::uint64_t comparisons = 0;
  index.find(
      place,
      [&](std::size_t box) {
        EXPECT_TRUE(all.insert(box).second);
        return false;
      },
      comparisons);
  return all;
}

TEST(BoxIndex, FindsWhatIsThereAndMeets) {
  std::mt19937 random(3);
  const auto upto = [&](int n) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(n)); };
  for (const std::size_t n : {0, 1, 2, 7, 64, 100}) {
    std::vector<NdRange> boxes;
    std::vector<const NdRange*> pointers;
    for (std::size_t i = 0; i < n; ++i)
      boxes.push_back(i % 9 == 8 ? NdRange{} : rectangle(upto(40), 1 + upto(6), upto(3), 1 + upto(2)));
    for (const NdRange& box : boxes) pointers.push_back(&box);
    BoxIndex index(pointers);
    std::set<std::size_t> there;
    for (int step = 0; step < 60; ++step) {
      if (n > 0) {
        const auto box = static_cast<std::size_t>(upto(static_cast<int>(n)));
        if (upto(3) > 0)
          index.put(box), there.insert(box);
        else
          index.take(box), there.erase(box);
      }
      const NdRange place = rectangle(upto(40), 1 + upto(9), upto(3), 1);
      std::set<std::size_t> expected;
      for (const std::size_t box : there)
        if (meet(boxes[box], place)) expected.insert(box);
      EXPECT_EQ(found(index, place), expected) << n;
    }
  }
}

TEST(BoxIndex, EmptyRectanglesMeetNothing) {
  EXPECT_FALSE(meet({}, {}));
  EXPECT_FALSE(meet({}, rectangle(0, 1, 0, 1)));
  EXPECT_TRUE(meet(rectangle(0, 2, 0, 1), rectangle(1, 1, 0, 1)));
  EXPECT_FALSE(meet(rectangle(0, 2, 0, 1), rectangle(1, 1, 1, 1)));
}

}  // namespace
}  // namespace tegula::tiledb
