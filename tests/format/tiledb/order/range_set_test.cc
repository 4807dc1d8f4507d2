#include "format/tiledb/order/range_set.h"

#include <gtest/gtest.h>

namespace tegula::tiledb {
namespace {

Range text_range(const std::string& low, const std::string& high) { return {low, high}; }

TEST(RangeList, JoinsAndTestsTexts) {
  RangeList list(DimensionType{Datatype(TypeId::ascii), true});
  for (const auto& [low, high] : {std::pair("m", "p"), {"a", "c"}, {"b", "d"}, {"x", "x"}})
    list.add(text_range(low, high));
  list.finish();
  const auto overlap = [&](std::string_view low, std::string_view high) {
    return list.overlap(bytes_of(low), bytes_of(high));
  };
  EXPECT_EQ(overlap("", "Z"), Overlap::none);
  EXPECT_EQ(overlap("", "a"), Overlap::some);
  EXPECT_EQ(overlap("a", "d"), Overlap::all);
  EXPECT_EQ(overlap("c", "da"), Overlap::some);
  EXPECT_EQ(overlap("da", "l"), Overlap::none);
  EXPECT_EQ(overlap("q", "w"), Overlap::none);
  EXPECT_EQ(overlap("x", "x"), Overlap::all);
  EXPECT_EQ(overlap("xa", "z"), Overlap::none);
}

// Each cell was compared with every range before its own: 10^10 comparisons here.
TEST(RangeList, ManyTextsAgainstManyCells) {
  constexpr std::size_t kCells = 200000;
  RangeList list(DimensionType{Datatype(TypeId::ascii), true});
  Bytes data;
  std::vector<std::uint64_t> offsets{0};
  for (std::size_t i = 0; i < kCells; ++i) {
    const std::string text = fmt::format("id{:08}", i);
    if (i % 2 == 0) list.add(text_range(text, text));
    data.insert(data.end(), bytes_of(text).begin(), bytes_of(text).end());
    offsets.push_back(data.size());
  }
  list.finish();
  ColumnView cells;
  cells.data = data.data();
  cells.offsets = offsets.data();
  std::vector<std::uint8_t> mask(kCells, 1);
  list.filter(cells, mask);
  for (std::size_t i = 0; i < kCells; ++i) ASSERT_EQ(mask[i], i % 2 == 0) << i;
}

}  // namespace
}  // namespace tegula::tiledb
