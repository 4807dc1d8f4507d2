#include "query/aggregate/aggregates.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/endian.h"
#include "query/make_columns.h"
#include "support/expect_error.h"

namespace tegula {
namespace {

using testing::info;
using testing::numbers;
using testing::texts;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::string show(const Column& column) {
  EXPECT_EQ(column.cells(), 1u);
  if (!column.valid(0)) return "null";
  const std::byte* data = column.data.data();
  switch (column.type.id) {
    case TypeId::int64:
      return std::to_string(load<std::int64_t>(data));
    case TypeId::uint64:
      return std::to_string(load<std::uint64_t>(data)) + "u";
    case TypeId::timedelta:
      return std::to_string(load<std::int64_t>(data)) + "t";
    case TypeId::int16:
      return std::to_string(load<std::int16_t>(data)) + "h";
    case TypeId::float64: {
      const double value = load<double>(data);
      if (value == std::numeric_limits<double>::max()) return "MAX";
      return std::isnan(value) ? "nan" : std::to_string(value);
    }
    default:
      return std::string(text_of(column.cell(0)));
  }
}

std::string run(const Column& column, AggregateOp op, AggregateRules rules, const std::vector<std::uint8_t>& mask,
                bool split) {
  const Aggregate aggregate{"r", op, column.name};
  Accumulator all(aggregate, info(column), rules);
  const std::size_t cells = column.cells();
  if (!split) {
    all.update(column, 0, cells, mask.empty() ? nullptr : mask.data());
  } else {
    for (std::size_t i = 0; i < cells; ++i) {
      Accumulator one(aggregate, info(column), rules);
      one.update(column, i, 1, mask.empty() ? nullptr : mask.data() + i);
      all.merge(one);
    }
  }
  return show(all.finish());
}

TEST(Aggregates, Results) {
  using Op = AggregateOp;
  const Column i = numbers<std::int16_t>("i", TypeId::int16, {3, -7, 5, 5});
  const Column n = numbers<std::int16_t>("n", TypeId::int16, {3, -7, 5, 5}, {1, 0, 1, 1});
  const Column none = numbers<std::int16_t>("n", TypeId::int16, {1, 2}, {0, 0});
  const Column large = numbers<std::int64_t>("l", TypeId::int64, {INT64_MAX, 1, 5});
  const Column back = numbers<std::int64_t>("l", TypeId::int64, {INT64_MAX, 1, -2});
  const Column low = numbers<std::int64_t>("l", TypeId::int64, {INT64_MIN, -1, 0});
  const Column wide = numbers<std::uint64_t>("q", TypeId::uint64, {UINT64_MAX, 1, 1});
  const Column f = numbers<double>("f", TypeId::float64, {1, kNaN, 2});
  const Column late = numbers<double>("f", TypeId::float64, {2, 1, kNaN});
  const Column zeros = numbers<double>("f", TypeId::float64, {1, 0.0, -0.0});
  const Column t = numbers<std::int64_t>("t", TypeId::timedelta, {3, INT64_MIN, 5});
  const Column huge = numbers<double>("f", TypeId::float64, {1e308, 1e308, 1});
  const Column g = numbers<double>("f", TypeId::float64, {1, 2, 3, 4});
  const Column s = texts("s", TypeId::ascii, {"b", "", "ba"});
  const Column z = texts("z", TypeId::utf8, {std::nullopt, "x", "a"});
  const Column b = numbers<std::uint8_t>("b", TypeId::boolean, {1, 0, 1});
  const Column empty = numbers<std::int16_t>("i", TypeId::int16, {});
  const struct {
    const Column& column;
    Op op;
    const char* libtiledb;
    const char* common = nullptr;
    std::vector<std::uint8_t> mask = {};
  } kCases[] = {
      {i, Op::count, "4u"},
      {i, Op::count, "2u", nullptr, {1, 0, 0, 1}},
      {i, Op::sum, "6"},
      {i, Op::sum, "8", nullptr, {1, 0, 0, 1}},
      {i, Op::min, "-7h"},
      {i, Op::max, "5h"},
      {i, Op::min, "3h", nullptr, {1, 0, 1, 0}},
      {i, Op::mean, "1.500000"},
      {i, Op::std, "4.974937"},
      {i, Op::null_count, "0u"},
      {i, Op::sum, "0", nullptr, {0, 0, 0, 0}},
      {i, Op::min, "0h", "null", {0, 0, 0, 0}},
      {i, Op::max, "0h", "null", {0, 0, 0, 0}},
      {i, Op::mean, "nan", "null", {0, 0, 0, 0}},
      {i, Op::std, "nan", "null", {0, 0, 0, 0}},
      {n, Op::sum, "13"},
      {n, Op::min, "3h"},
      {n, Op::mean, "4.333333"},
      {n, Op::null_count, "1u"},
      {n, Op::null_count, "0u", nullptr, {1, 0, 1, 1}},
      {n, Op::sum, "null", "0", {0, 1, 0, 0}},
      {none, Op::sum, "null", "0"},
      {none, Op::min, "null"},
      {none, Op::mean, "null"},
      {none, Op::null_count, "2u"},
      {large, Op::sum, "9223372036854775807"},
      {back, Op::sum, "9223372036854775806"},
      {low, Op::sum, "-9223372036854775808"},
      {wide, Op::sum, "18446744073709551615u"},
      {f, Op::min, "2.000000", "nan"},
      {f, Op::max, "2.000000", "nan"},
      {f, Op::sum, "nan"},
      {huge, Op::sum, "MAX", "inf"},
      {late, Op::min, "nan"},
      {late, Op::max, "nan"},
      {late, Op::min, "1.000000", nullptr, {1, 1, 0}},
      {zeros, Op::min, "-0.000000", "0.000000"},
      {t, Op::min, "-9223372036854775808t"},
      {t, Op::max, "5t", "-9223372036854775808t"},
      {t, Op::max, "5t", nullptr, {1, 0, 1}},
      {t, Op::sum, "-9223372036854775800t", "-9223372036854775808t"},
      {t, Op::sum, "8t", nullptr, {1, 0, 1}},
      {t, Op::mean, "-3074457345618258432.000000", "nan"},
      {g, Op::std, "1.118034"},
      {s, Op::min, ""},
      {s, Op::max, "ba"},
      {s, Op::max, "b", nullptr, {1, 1, 0}},
      {z, Op::min, "a"},
      {z, Op::max, "x"},
      {z, Op::max, "null", nullptr, {1, 0, 0}},
      {s, Op::max, "", "null", {0, 0, 0}},
      {b, Op::sum, "2u"},
      {empty, Op::sum, "0"},
      {empty, Op::count, "0u"},
  };
  for (const auto& row : kCases) {
    for (const bool split : {false, true}) {
      SCOPED_TRACE(row.column.name + " op " + std::to_string(static_cast<int>(row.op)) + (split ? " split" : ""));
      EXPECT_EQ(run(row.column, row.op, AggregateRules::libtiledb, row.mask, split), row.libtiledb);
      EXPECT_EQ(run(row.column, row.op, AggregateRules::common, row.mask, split),
                row.common ? row.common : row.libtiledb);
    }
  }
}

TEST(Aggregates, LongColumns) {
  std::vector<std::int64_t> values;
  std::vector<double> reals;
  for (int k = 0; k < 10000; ++k) values.push_back((k % 2 ? -1 : 1) * (INT64_MAX - k)), reals.push_back(0.1);
  const Column l = numbers("l", TypeId::int64, values), f = numbers("f", TypeId::float64, reals);
  EXPECT_EQ(run(l, AggregateOp::sum, AggregateRules::libtiledb, {}, false), "5000");
  // One after the other, as libtiledb adds.
  double sum = 0;
  for (const double v : reals) sum += v;
  Accumulator plain({"r", AggregateOp::sum, "f"}, info(f), AggregateRules::libtiledb);
  plain.update(f, 0, reals.size());
  EXPECT_EQ(load<double>(plain.finish().data.data()), sum);
  EXPECT_EQ(run(f, AggregateOp::std, AggregateRules::common, {}, false), "0.000000");
}

TEST(Aggregates, Statistics) {
  const Column i = numbers<std::int16_t>("i", TypeId::int16, {3, -7, 5, 5});
  const std::int64_t sum = 6, cut = INT64_MAX;
  const std::int16_t low = -7, high = 5;
  AggregateStats stats{4, 0, std::as_bytes(std::span(&low, 1)), std::as_bytes(std::span(&high, 1)),
                       std::as_bytes(std::span(&sum, 1))};
  for (const AggregateOp op : {AggregateOp::count, AggregateOp::sum, AggregateOp::min, AggregateOp::max,
                               AggregateOp::mean, AggregateOp::null_count}) {
    Accumulator accumulator({"r", op, "i"}, info(i), AggregateRules::libtiledb);
    ASSERT_TRUE(accumulator.can_add(stats));
    accumulator.add(stats);
    EXPECT_EQ(show(accumulator.finish()), run(i, op, AggregateRules::libtiledb, {}, false));
  }
  // The largest date of a tile does not show that one is none; the smallest does.
  const Column d = numbers<std::int64_t>("d", TypeId::datetime, {INT64_MIN, 5});
  const std::int64_t nat = INT64_MIN, last = 5;
  const AggregateStats dates{2, 0, std::as_bytes(std::span(&nat, 1)), std::as_bytes(std::span(&last, 1)), std::nullopt};
  for (const AggregateOp op : {AggregateOp::min, AggregateOp::max}) {
    Accumulator accumulator({"r", op, "d"}, info(d), AggregateRules::common);
    ASSERT_TRUE(accumulator.can_add(dates));
    accumulator.add(dates);
    EXPECT_EQ(load<std::int64_t>(accumulator.finish().data.data()), nat);
  }
  stats.sum = std::as_bytes(std::span(&cut, 1));
  EXPECT_FALSE(Accumulator({"r", AggregateOp::sum, "i"}, info(i), AggregateRules::libtiledb).can_add(stats));
}

TEST(Aggregates, Refusals) {
  const Column s = texts("s", TypeId::ascii, {"a"});
  EXPECT_ERROR(invalid_argument, "takes numbers",
               Accumulator({"r", AggregateOp::sum, "s"}, info(s), AggregateRules::libtiledb));
  const std::vector<Aggregate> unknown{{"r", AggregateOp::sum, "gone"}};
  EXPECT_ERROR(invalid_argument, "no field 'gone'", AggregateSet(unknown, {}, AggregateRules::libtiledb));
}

}  // namespace
}  // namespace tegula
