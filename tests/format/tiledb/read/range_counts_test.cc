// How many ranges hold a value, and queries with very many ranges.
#include "format/tiledb/read/range_counts.h"

#include <gtest/gtest.h>

#include "format/tiledb/line_support.h"

namespace tegula::tiledb {
namespace {

using namespace writing;

ByteView bytes_of_number(const std::int64_t& value) { return std::as_bytes(std::span(&value, 1)); }

TEST(RangeCounts, OfNumbers) {
  const std::vector<Range> ranges{{std::int64_t{-5}, std::int64_t{5}},
                                  {std::int64_t{5}, std::int64_t{9}},
                                  {std::int64_t{0}, std::int64_t{7}},
                                  {std::int64_t{20}, std::int64_t{20}}};
  const RangeCounts counts({TypeId::int64, false}, ranges);
  EXPECT_TRUE(counts.overlap());
  const std::vector<std::pair<std::int64_t, std::uint64_t>> expected{{-6, 0}, {-5, 1}, {0, 2},  {5, 3},
                                                                     {6, 2},  {8, 1},  {10, 0}, {20, 1}};
  for (const auto& [value, count] : expected) EXPECT_EQ(counts.count(bytes_of_number(value)), count) << value;
  EXPECT_FALSE(RangeCounts({TypeId::int64, false}, std::span(ranges).first(1)).overlap());
  EXPECT_FALSE(RangeCounts({TypeId::int64, false}, std::vector<Range>{ranges[3], ranges[0]}).overlap());
  EXPECT_FALSE(RangeCounts({TypeId::int64, false}, {}).overlap());
}

TEST(RangeCounts, OfText) {
  const std::vector<Range> ranges{{std::string("b"), std::string("d")}, {std::string("c"), Value()}};
  const RangeCounts counts({TypeId::ascii, true}, ranges);
  EXPECT_TRUE(counts.overlap());
  const std::vector<std::pair<std::string, std::uint64_t>> expected{{"a", 0}, {"b", 1},  {"c", 2},
                                                                    {"d", 2}, {"da", 1}, {"z", 1}};
  for (const auto& [value, count] : expected) EXPECT_EQ(counts.count(bytes_of(value)), count) << value;
  const std::vector<Range> apart{{std::string("c"), Value()}, {std::string("a"), std::string("b")}};
  EXPECT_FALSE(RangeCounts({TypeId::ascii, true}, apart).overlap());
}

TEST(RangeCounts, CostGrowsWithTheRangesAndNotTheirSquare) {
  const auto comparisons = [](std::int64_t count) {
    std::vector<Range> points;
    for (std::int64_t i = 0; i < count; ++i) points.push_back({i * 7919 % count, i * 7919 % count});
    return RangeCounts({TypeId::int64, false}, points).comparisons();
  };
  EXPECT_LT(comparisons(20000), comparisons(10000) * 5 / 2);
}

// Every pair of ranges was compared, and every cell with all of them.
TEST(RangeCounts, RowOrderTakesManyPointRanges) {
  const std::shared_ptr<Array> array =
      make(make_memory_store(),
           make_schema(true, {dimension("x", TypeId::int64, std::int64_t{0}, std::int64_t{999999}, std::int64_t{1000})},
                       {attribute("a", TypeId::int32)}));
  array->write(cells(0, 5000));
  Query query;
  query.order = Order::row;
  DimensionRanges& points = query.ranges.emplace_back();
  points.name = "x";
  for (std::int64_t i = 0; i < 100000; ++i) points.ranges.push_back({i, i});
  EXPECT_EQ(ask(*array, query).cells, 5000u);
  points.ranges.push_back({std::int64_t{10}, std::int64_t{12}});  // these cells come twice
  EXPECT_EQ(ask(*array, query).cells, 5003u);
}

}  // namespace
}  // namespace tegula::tiledb
