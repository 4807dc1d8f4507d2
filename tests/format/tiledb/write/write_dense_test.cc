// Dense writes: orders, strides and statistics of the cells they store.
#include <gtest/gtest.h>

#include "format/tiledb/line_support.h"
#include "format/tiledb/read/array_contents.h"
#include "support/expect_error.h"

namespace tegula::tiledb {
namespace {

using namespace writing;

TEST(WriteDense, TakesStridedMemoryOfAnyOrder) {
  const std::shared_ptr<Array> array =
      create_array(make_memory_store(),
                   make_schema(false,
                               {dimension("y", TypeId::int32, std::int64_t{1}, std::int64_t{10}, std::int64_t{4}),
                                dimension("x", TypeId::int32, std::int64_t{1}, std::int64_t{10}, std::int64_t{3})},
                               {attribute("a", TypeId::int32)}),
                   {});
  std::vector<std::int32_t> memory(6 * 14);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::int32_t>(i);
  const auto* data = reinterpret_cast<const std::byte*>(memory.data());
  // Every second column of a table of 14, upside down.
  array->write(parse_selection("[2:8, 1:8]"), "a", {data + 5 * 14 * 4, {6, 7}, {-14 * 4, 2 * 4}});
  Query query;
  query.select = parse_selection("[2:8, 1:8]");
  std::vector<std::int32_t> expected;
  for (int y = 5; y >= 0; --y)
    for (int x = 0; x < 7; ++x) expected.push_back(y * 14 + 2 * x);
  EXPECT_EQ(values<std::int32_t>(ask(*array, query).columns[0]), expected);

  // An integer drops its axis; a reversed slice turns the values.
  array->write(parse_selection("[3, 5:2:-1]"), "a", {data, {3}, {4}});
  query.select = parse_selection("[3, 3:6]");
  EXPECT_EQ(values<std::int32_t>(ask(*array, query).columns[0]), (std::vector<std::int32_t>{2, 1, 0}));
  EXPECT_ERROR(invalid_argument, "another shape", array->write(parse_selection("[0:2, 0]"), "a", {data, {5}, {4}}));
  EXPECT_ERROR(unsupported, "fills a box", array->write_stream(parse_selection("[::2, 0]")));
  EXPECT_ERROR(invalid_argument, "no attribute 'b'", array->write(parse_selection("[0, 0]"), "b", {data, {}, {}}));
}

TEST(WriteDense, TakesBatchesInRowColAndGlobalOrder) {
  for (const Order cell_order : {Order::row, Order::col}) {
    Schema schema = make_schema(false,
                                {dimension("y", TypeId::int32, std::int64_t{0}, std::int64_t{9}, std::int64_t{4}),
                                 dimension("x", TypeId::int32, std::int64_t{0}, std::int64_t{9}, std::int64_t{3})},
                                {attribute("a", TypeId::int32), attribute("s", TypeId::ascii, kVar)});
    schema.cell_order = cell_order;
    for (const Order order : {Order::row, Order::col, Order::global}) {
      const std::shared_ptr<Array> array = create_array(make_memory_store(), schema, {});
      // Read in an order what was written in that order: the same.
      Batch batch = random_cells(schema, 7 * 5, 3);
      WriteOptions options;
      options.order = order;
      const Selection box = parse_selection("[2:9, 1:6]");
      array->write(box, batch, options);
      Query query;
      query.ranges = {{"y", {{std::int64_t{2}, std::int64_t{8}}}}, {"x", {{std::int64_t{1}, std::int64_t{5}}}}};
      query.order = order;
      const Batch found = ask(*array, query);
      EXPECT_EQ(values<std::int32_t>(*found.column("a")), values<std::int32_t>(*batch.column("a")));
      EXPECT_EQ(texts(*found.column("s")), texts(*batch.column("s")));
    }
  }
}

TEST(WriteDense, LaterOnesWinAndUnwrittenCellsAreFill) {
  const std::shared_ptr<Array> array = create_array(make_memory_store(), line(false), {});
  const std::int32_t old[] = {1, 2, 3, 4}, fresh[] = {7, 8};
  array->write(parse_selection("[8:12]"), "a", {reinterpret_cast<const std::byte*>(old), {4}, {4}});
  array->write(parse_selection("[9:11]"), "a", {reinterpret_cast<const std::byte*>(fresh), {2}, {4}});
  Query query;
  query.select = parse_selection("[7:13]");
  EXPECT_EQ(values<std::int32_t>(ask(*array, query).columns[0]),
            (std::vector<std::int32_t>{INT32_MIN, 1, 7, 8, 4, INT32_MIN}));
}

TEST(WriteDense, StoresStatisticsOfCellsThatCount) {
  const std::shared_ptr<Store> store = make_memory_store();
  const std::shared_ptr<Array> array = create_array(
      store, line(false, {attribute("a", TypeId::int32, 1, true), attribute("s", TypeId::ascii, kVar)}), {});
  Batch batch;
  batch.cells = 4;
  batch.columns = {column<std::int32_t>("a", TypeId::int32, {5, -7, 100, 9}),
                   column<char>("s", TypeId::ascii, {'q', 'b', 'c'})};
  batch.columns[0].nullable = true;
  for (const int valid : {1, 1, 0, 1}) batch.columns[0].validity.push_back(std::byte(valid));
  batch.columns[1].values_per_cell = kVar;
  batch.columns[1].offsets = {0, 1, 1, 3, 3};
  array->write(parse_selection("[8:12]"), batch);
  const ArrayContents opened = open_contents(store, {});
  const Fragment& fragment = *opened.fragments.at(0);
  const auto number = [](ByteView bytes) { return load_le<std::int32_t>(bytes.data()); };
  EXPECT_EQ(number(fragment.mins(0).at(0)), -7);
  EXPECT_EQ(number(fragment.maxs(0).at(0)), 5);
  EXPECT_EQ(number(fragment.mins(0).at(1)), 9);
  EXPECT_EQ(fragment.sums(0)[0], static_cast<std::uint64_t>(-2));
  EXPECT_EQ(fragment.null_counts(0)[0], 0u);
  EXPECT_EQ(fragment.null_counts(0)[1], 1u);
  EXPECT_EQ(text_of(fragment.mins(1).at(0)), "");
  EXPECT_EQ(text_of(fragment.maxs(1).at(0)), "q");
  EXPECT_EQ(number(fragment.statistics().at(0).max), 9);
  EXPECT_EQ(fragment.statistics().at(0).sum, 7u);
  EXPECT_EQ(fragment.statistics().at(0).null_count, 1u);
  EXPECT_EQ(text_of(fragment.statistics().at(1).max), "q");
}

}  // namespace
}  // namespace tegula::tiledb
