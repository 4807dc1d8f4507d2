// Arrays that libtiledb 2.30 misreads or cannot open.
#include <gtest/gtest.h>

#include "format/tiledb/reader_support.h"
#include "support/expect_error.h"

namespace tegula::tiledb {
namespace {

// Filtered by float-scale before 2.17: later libraries chain the types of filters and read noise.
TEST(ReaderBetter, FloatScaleFromBeforeTypesWereChained) {
  const auto array = open_copy("filters_float_scale-2.11");
  const Batch batch = ask(*array, {});
  for (const Column& column : batch.columns)
    for (std::size_t i = 0; i < column.cells(); ++i) {
      if (!column.type.is_float()) continue;
      const double value =
          column.type.size == 4 ? load_le<float>(column.cell(i).data()) : load_le<double>(column.cell(i).data());
      EXPECT_LT(std::abs(value), 1e6) << column.name;
    }
}

// A flat array of 2.3, upgraded and given an attribute: its old fragments name no schema, and 2.30 takes the newest.
TEST(ReaderBetter, OldFragmentsAfterUpgradeAndEvolution) {
  const auto array = open_copy("mixed_evolve_2.3_to_2.30");
  Query query;
  query.order = Order::row;
  const Batch batch = ask(*array, query);
  EXPECT_GE(batch.cells, 9u);
  const auto d = values<std::int32_t>(*batch.column("d"));
  const auto a = values<std::int32_t>(*batch.column("a"));
  const std::vector<std::string> s = texts(*batch.column("s"));
  for (std::size_t i = 0; i < d.size(); ++i) {
    if (d[i] == 13) {
      EXPECT_EQ(s[i], "eel5");
    }
    if (d[i] == 35) {
      EXPECT_EQ(a[i], 203);
    }
  }
  EXPECT_EQ(array->schema().attributes.size(), 3u);
}

// Consolidated fragment metadata over formats 11 and 22, which 2.30 writes and then fails to open.
TEST(ReaderBetter, ConsolidatedFootersOfTwoFormats) {
  const auto array = open_copy("mixed_fragment_meta_2.7_to_2.30");
  Query query;
  query.order = Order::row;
  EXPECT_GE(ask(*array, query).cells, 5u);
}

// Tile minima and maxima of a variable attribute that belong to another attribute.
TEST(ReaderBetter, WrongMinimaOfVariableAttributes) {
  const auto array = open_copy("dense_var_minmax_quirk-2.30");
  Query query;
  query.aggregates = {{"mn", AggregateOp::min, "s"}, {"mx", AggregateOp::max, "s"}};
  const Batch batch = ask(*array, query);
  EXPECT_EQ(texts(batch.columns[0])[0], "aa");
  EXPECT_EQ(texts(batch.columns[1])[0], "zzzz");
  query = {};
  query.fields = {"a"};
  query.where = "s == 'n'";
  EXPECT_EQ(values<std::int32_t>(ask(*array, query).columns[0])[1], 1);
}

TEST(ReaderBetter, KeysAreAskedForByName) {
  EXPECT_ERROR(invalid_argument, "key", open_copy("encrypted_dense"));
  OpenOptions wrong;
  wrong.key.assign(32, std::byte{7});
  EXPECT_THROW(ask(*open_copy("encrypted_dense", wrong), {}), Error);
  OpenOptions needless;
  needless.key.assign(32, std::byte{7});
  EXPECT_ERROR(invalid_argument, "not encrypted", open_copy("dense_2d_int32", needless));
}

TEST(ReaderBetter, LabelsGiveRanges) {
  const auto array = open_copy("labels-2.30");
  Query query;
  query.fields = {"a", "name"};
  query.ranges = {{"y", {{std::int64_t{2}, std::int64_t{3}}}}};
  query.label_ranges = {{"name", {{std::string("bee0"), std::string("emuz")}}}};
  const Batch batch = ask(*array, query);
  EXPECT_EQ(values<std::int32_t>(batch.columns[0]), (std::vector<std::int32_t>{8, 9, 10, 14, 15, 16}));
  EXPECT_EQ(texts(batch.columns[1]), (std::vector<std::string>{"cow", "dog", "emu"}));
  query.label_ranges = {{"name", {{std::string("x"), std::string("z")}}}};
  EXPECT_ERROR(invalid_argument, "no label", ask(*array, query));
  query.label_ranges = {{"nobody", {}}};
  EXPECT_ERROR(invalid_argument, "no label 'nobody'", ask(*array, query));
}

}  // namespace
}  // namespace tegula::tiledb
