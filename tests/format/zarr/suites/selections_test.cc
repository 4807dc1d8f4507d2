// Random reads and writes of every version against an array in plain memory.
#include <cstring>

#include "format/zarr/numbers_array.h"

namespace tegula::testing {
namespace {

const ArrayPlan kPlans[] = {
    {"zarr0", {23, 17}, {6, 5}, {}},
    {"zarr0", {40}, {7}, {filter("blosc", {{"cname", "zlib"}, {"shuffle", std::int64_t{2}}})}},
    {"zarr1", {9, 8, 7}, {4, 3, 5}, {filter("blosc")}},
    {"zarr1", {23, 17}, {6, 5}, {filter("zlib")}, Order::col},
    {"zarr2", {23, 17}, {6, 17}, {}},
    {"zarr2", {23, 17}, {6, 5}, {filter("delta"), filter("shuffle"), filter("zstd"), filter("crc32")}},
    {"zarr2", {9, 8, 7}, {4, 3, 5}, {filter("lz4")}, Order::col},
    {"zarr3", {23, 17}, {6, 5}, {filter("gzip"), filter("crc32c")}},
    {"zarr3", {23, 17}, {6, 5}, {filter("bytes", {{"endian", "big"}}), filter("blosc")}, Order::col},
    {"zarr3", {23, 17}, {8, 6}, {filter("sharding", {{"chunk_shape", "[4, 3]"}}), filter("zstd")}},
    {"zarr3", {23, 17}, {8, 6}, {filter("sharding", {{"chunk_shape", "[2, 6]"}, {"index_location", "start"}})}},
    {"zarr3",
     {23, 17},
     {8, 12},
     {filter("sharding", {{"chunk_shape", "[4, 6]"},
                          {"codecs",
                           R"([{"name": "sharding_indexed", "configuration": {"chunk_shape": [2, 3],
                   "codecs": [{"name": "transpose", "configuration": {"order": [1, 0]}},
                              {"name": "bytes", "configuration": {"endian": "little"}}],
                   "index_codecs": [{"name": "bytes", "configuration": {"endian": "big"}}], "index_location": "start"}}])"}})}},
    {"zarr3",
     {23, 17},
     {8, 12},
     {filter("sharding",
             {{"chunk_shape", "[4, 6]"}, {"codecs", R"([{"name": "bytes", "configuration": {"endian": "little"}}])"}}),
      filter("zstd")}},
};

class Selections : public ::testing::TestWithParam<ArrayPlan> {};

TEST_P(Selections, AgreeWithPlainMemory) {
  const ArrayPlan& plan = GetParam();
  std::mt19937 random(7);
  const auto store = make_memory_store();
  const auto array = create(plan, store);
  Oracle oracle(plan.shape, plan.fill);
  for (int round = 0; round < 60; ++round) {
    const bool writing = round % 3 == 0;
    const Selection selection = random_selection(plan.shape, random, writing);
    if (writing) {
      std::vector<std::int32_t> values(resolve(selection, plan.shape).cells());
      for (std::int32_t& value : values) value = static_cast<std::int32_t>(random() % 1000);
      write(*array, selection, values);
      oracle.write(selection, values);
    } else {
      ASSERT_EQ(read(*array, selection), oracle.read(selection)) << "round " << round;
    }
  }
  const auto again = reopen(store);
  EXPECT_EQ(read(*again, "[...]"), oracle.cells());
  EXPECT_TRUE(again->verify().empty());
}

INSTANTIATE_TEST_SUITE_P(AllVersions, Selections, ::testing::ValuesIn(kPlans));

TEST(ZarrQueries, HonourSelectionsConditionsAndAggregates) {
  const auto array = create({"zarr3", {10}, {4}, {}, Order::row, 0}, make_memory_store());
  write(*array, parse_selection("[...]"), {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  Query query;
  query.select = parse_selection("[::2]");
  query.aggregates = {{"total", AggregateOp::sum, ""}};
  const Batch batch = collect(*array->query(query));
  ASSERT_NE(batch.column("total"), nullptr);
  std::int64_t total = 0;
  std::memcpy(&total, batch.column("total")->data.data(), 8);
  EXPECT_EQ(total, 25);
  query.aggregates.clear();
  query.work.memory = 8;  // two cells at a time
  EXPECT_EQ(collect(*array->query(query)).cells, 5u);
}

TEST(ZarrArrays, WithoutAxesAndWithoutCells) {
  for (const char* format : {"zarr1", "zarr2", "zarr3"}) {
    const auto scalar = create({format, {}, {}, {}}, make_memory_store());
    EXPECT_EQ(read(*scalar, "[()]"), std::vector<std::int32_t>{-7}) << format;
    write(*scalar, parse_selection("[()]"), {12});
    EXPECT_EQ(read(*scalar, "[...]"), std::vector<std::int32_t>{12}) << format;
    EXPECT_EQ(scalar->info().chunks_present, 1u) << format;
    const auto empty = create({format, {0, 4}, {3, 4}, {}}, make_memory_store());
    EXPECT_TRUE(read(*empty, "[...]").empty()) << format;
    EXPECT_EQ(empty->info().chunks_expected, 0u) << format;
  }
}

}  // namespace
}  // namespace tegula::testing
