// Arrays that libtiledb 2.30 misreads or cannot open.
#include <gtest/gtest.h>

#include <limits>
#include <tuple>

#include "format/tiledb/reader_support.h"
#include "support/expect_error.h"

namespace tegula::tiledb {
namespace {

template <class T>
std::vector<T> first_five(const Batch& batch, const std::string& name) {
  std::vector<T> all = values<T>(*batch.column(name));
  all.resize(5);
  return all;
}

// Filtered before 2.17: later libraries chain the types of filters, and read noise where float-scale or xor is followed
// by a filter that looks at types.
TEST(LibtiledbMisreads, FloatScaleFromBeforeTypesWereChained) {
  Query query;
  query.order = Order::row;
  const Batch batch = ask(*open_copy("filters_float_scale-2.11"), query);
  EXPECT_EQ(batch.cells, 29u);
  EXPECT_EQ(first_five<double>(batch, "float64_2"), (std::vector<double>{0.26, 4.1, -6.03, -5.75, -6.5}));
  EXPECT_EQ(first_five<float>(batch, "float32_8"), (std::vector<float>{1, -7, 7, 4, -1}));
}

TEST(LibtiledbMisreads, XorFromBeforeTypesWereChained) {
  Query query;
  query.order = Order::row;
  const Batch batch = ask(*open_copy("filters_xor-2.12"), query);
  EXPECT_EQ(batch.cells, 31u);
  EXPECT_EQ(first_five<double>(batch, "float64"), (std::vector<double>{4.334, 2.646, 3.668, 0.129, 0.611}));
  EXPECT_EQ(first_five<std::uint64_t>(batch, "uint64"), (std::vector<std::uint64_t>{71, 23, 16, 78, 58}));
  EXPECT_EQ(first_five<std::int64_t>(batch, "datetime_ms"), (std::vector<std::int64_t>{-86, 51, -87, -92, 75}));
}

// A flat array of 2.3, upgraded and given an attribute: its old fragments name no schema, and 2.30 takes the newest.
TEST(LibtiledbMisreads, OldFragmentsAfterUpgradeAndEvolution) {
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
TEST(LibtiledbMisreads, ConsolidatedFootersOfTwoFormats) {
  const auto array = open_copy("mixed_fragment_meta_2.7_to_2.30");
  Query query;
  query.order = Order::row;
  EXPECT_GE(ask(*array, query).cells, 5u);
}

// Tile minima and maxima of a variable attribute that belong to another attribute.
TEST(LibtiledbMisreads, WrongMinimaOfVariableAttributes) {
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

// "a", "", "", "b" in tiles of two, written by 2.2.9: the domain of the fragment and the root of its tree end with the
// empty text, so that no libtiledb finds "a" and "b" in a range.
TEST(LibtiledbMisreads, RangesOfTextThatEndTooEarly) {
  const auto array = open_copy("empty_text-2.2.9");
  const std::tuple<const char*, const char*, std::size_t> cases[] = {
      {"a", "b", 2}, {"b", "c", 1}, {"", "a", 3}, {"c", "d", 0}};
  for (const auto& [low, high, cells] : cases) {
    SCOPED_TRACE(low);
    Query query;
    query.ranges = {{"x", {{std::string(low), std::string(high)}}}};
    EXPECT_EQ(ask(*array, query).cells, cells);
  }
  Query query;
  query.where = "x == 'b'";
  EXPECT_EQ(ask(*array, query).cells, 1u);
  EXPECT_EQ(ask(*array, {}).cells, 4u);
}

// The largest int64, 5, -10 and 0, written in another order than that of the cells: libtiledb's stored sum stops at the
// largest and goes on down from there.
TEST(LibtiledbMisreads, SumsThatMetTheEndOfTheirType) {
  const auto array = open_copy("sums-2.30");
  Query query;
  query.aggregates = {{"s", AggregateOp::sum, "v"}};
  EXPECT_EQ(values<std::int64_t>(ask(*array, query).columns[0]).at(0), std::numeric_limits<std::int64_t>::max() - 5);
}

// Fixed text that is not ASCII: libtiledb stores null counts of 0 and then answers no null_count of it. One cell of
// four in tiles of two is not null.
TEST(LibtiledbMisreads, NullCountsOfFixedText) {
  const auto array = open_copy("null_counts-2.30");
  ASSERT_EQ(array->schema().attributes.size(), 8u);
  for (const Attribute& attribute : array->schema().attributes) {
    SCOPED_TRACE(attribute.name);
    Query query;
    query.aggregates = {{"n", AggregateOp::null_count, attribute.name}};
    EXPECT_EQ(values<std::uint64_t>(ask(*array, query).columns[0]).at(0), 3u);
    query = {};
    query.where = attribute.name + " is null";
    EXPECT_EQ(ask(*array, query).cells, 3u);
  }
}

// Text appended by 2.30 to arrays of formats that store its boundaries apart: the library leaves them to RLE all the
// same, and then cannot read its own fragment.
TEST(LibtiledbMisreads, TextWithoutOffsetsInOldFormats) {
  for (const char* name : {"v10_rle_appended-2.30", "v11_rle_appended-2.30"}) {
    SCOPED_TRACE(name);
    Query query;
    query.order = Order::row;
    const Batch batch = ask(*open_copy(name), query);
    EXPECT_EQ(values<std::int32_t>(*batch.column("x")),
              (std::vector<std::int32_t>{2, 3, 5, 7, 11, 20, 21, 22, 23, 24, 25}));
    EXPECT_EQ(texts(*batch.column("s")),
              (std::vector<std::string>{"aa", "aa", "", "bbb", "ccc", "dog", "dog", "dog", "", "emu", "emu"}));
  }
}

TEST(LibtiledbMisreads, KeysAreAskedForByName) {
  EXPECT_ERROR(invalid_argument, "key", open_copy("encrypted_dense"));
  OpenOptions wrong;
  wrong.key.assign(32, std::byte{7});
  EXPECT_ERROR(corrupt, "another key", ask(*open_copy("encrypted_dense", wrong), {}));
  OpenOptions shorter;
  shorter.key.assign(16, std::byte{7});
  EXPECT_ERROR(invalid_argument, "32 bytes", open_copy("encrypted_dense", shorter));
  OpenOptions needless;
  needless.key.assign(32, std::byte{7});
  EXPECT_ERROR(invalid_argument, "not encrypted", open_copy("dense_2d_int32", needless));
}

TEST(LibtiledbMisreads, LabelsGiveRanges) {
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
