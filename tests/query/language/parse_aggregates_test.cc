#include "query/language/parse_aggregates.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace tegula {
namespace {

TEST(ParseAggregates, TextAndRefusals) {
  const std::vector<Aggregate> parsed = parse_aggregates("count(),sum(v), mn = min(`a b`), null_count( z )");
  ASSERT_EQ(parsed.size(), 4u);
  EXPECT_EQ(parsed[0].name, "count()");
  EXPECT_EQ(parsed[1].name, "sum(v)");
  EXPECT_EQ(parsed[1].field, "v");
  EXPECT_EQ(parsed[2].name, "mn");
  EXPECT_EQ(parsed[2].field, "a b");
  EXPECT_EQ(parsed[3].op, AggregateOp::null_count);
  for (const char* text : {"", "sum", "sum()", "median(x)", "sum(x", "sum(x) min(y)", "a=b=sum(x)"})
    EXPECT_ERROR(invalid_argument, "aggregates", parse_aggregates(text));
}

TEST(ParseAggregates, Names) {
  for (const char* name : {"count", "sum", "min", "max", "mean", "null_count", "std"}) {
    const auto op = find_aggregate(name);
    ASSERT_TRUE(op) << name;
    EXPECT_EQ(name_of(*op), name);
  }
  EXPECT_FALSE(find_aggregate("median"));
  EXPECT_EQ(name_of(AggregateOp::null_count), "null_count");
}

}  // namespace
}  // namespace tegula
