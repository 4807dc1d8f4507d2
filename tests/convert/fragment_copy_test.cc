// Copies into TileDB as whole fragments, and copies of bcolz chunks as they are.
#include <gtest/gtest.h>

#include <algorithm>

#include "convert/filters.h"
#include "samples.h"
#include "stops.h"

namespace tegula {
namespace {

std::shared_ptr<Array> cube(Order tile_order, Order cell_order) {
  Schema schema;
  schema.format = "tiledb";
  schema.tile_order = tile_order;
  schema.cell_order = cell_order;
  schema.dimensions = {dimension("x", 6, 3), dimension("y", 4, 2), dimension("z", 8, 4)};
  schema.attributes = {attribute("n", TypeId::int32), attribute("t", TypeId::utf8, kVar),
                       attribute("m", TypeId::int32, 1, true)};
  const std::shared_ptr<Array> array = create(make_memory_store(), schema);
  array->write(Selection{}, cells_for(schema, 7 * 5 * 9));
  return array;
}

std::shared_ptr<Array> points() {
  Schema schema;
  schema.format = "tiledb";
  schema.sparse = true;
  schema.capacity = 8;
  schema.dimensions = {dimension("x", 999, 10), dimension("y", 999, 10)};
  schema.attributes = {attribute("n", TypeId::int32), attribute("t", TypeId::utf8, kVar)};
  const std::shared_ptr<Array> array = create(make_memory_store(), schema);
  array->write(points_for(schema, 300));
  return array;
}

TEST(ConvertStream, DenseCellsBecomeOneFragmentInAnyOrderAndMemory) {
  for (const Order tiles : {Order::row, Order::col})
    for (const Order cells : {Order::row, Order::col})
      for (const std::uint64_t memory : {std::uint64_t{300}, std::uint64_t{8000}, std::uint64_t{1} << 30}) {
        SCOPED_TRACE(testing::Message() << "tiles " << int(tiles) << ", cells " << int(cells) << ", memory " << memory);
        const std::shared_ptr<Array> source = cube(tiles, cells);
        for (const std::vector<std::uint64_t>& chunks :
             {std::vector<std::uint64_t>{}, {2, 3, 5}, {7, 5, 9}, {3, 1, 4}}) {
          ConvertOptions options;
          options.target.chunks = chunks;
          Work work;
          work.memory = memory;
          const Converted made = convert(*source, make_memory_store(), options, work);
          EXPECT_EQ(made.array->info().fragments.size(), 1u);
          const Comparison report = compare(*source, *made.array, {});
          EXPECT_TRUE(report.same()) << report.different;
          EXPECT_EQ(report.cells, 3u * 7 * 5 * 9);
        }
      }
}

TEST(ConvertStream, LargeCopiesBecomeFragmentsThatSurviveAStop) {
  for (const std::shared_ptr<Array>& source : {cube(Order::row, Order::row), cube(Order::col, Order::row), points()}) {
    ConvertOptions options;
    options.target.format = "tiledb";
    options.source_name = "source";
    options.fragment_bytes = 4000;
    Work work;
    work.memory = 8000;
    const Stops stops = stop_at_every_change(*source, options, work);
    ASSERT_TRUE(stops.whole);
    EXPECT_GT(stops.whole->info().fragments.size(), 1u);
    EXPECT_GT(stops.kept, 0u);
  }
}

TEST(ConvertStream, SparseCellsBecomeOneFragmentInAnotherGridToo) {
  const std::shared_ptr<Array> source = points();
  for (const std::vector<std::uint64_t>& chunks : {std::vector<std::uint64_t>{}, {100, 7}})
    for (const std::uint64_t memory : {std::uint64_t{1} << 16, std::uint64_t{1} << 30}) {
      ConvertOptions options;
      options.target.chunks = chunks;
      Work work;
      work.memory = memory;
      const std::shared_ptr<Store> store = make_memory_store();
      const Converted made = convert(*source, store, options, work);
      EXPECT_EQ(open(store)->info().fragments.size(), 1u) << chunks.size() << " extents, memory " << memory;
      EXPECT_TRUE(compare(*source, *made.array, {}).same()) << chunks.size() << " extents, memory " << memory;
      EXPECT_TRUE(made.array->verify().empty());
    }
}

std::shared_ptr<Array> bcolz_rows(const std::shared_ptr<Store>& store, bool table) {
  Schema schema;
  schema.format = "bcolz";
  schema.table = table;
  Dimension d;
  d.name = "row";
  d.type = TypeId::uint64;
  d.tile = std::uint64_t{8};
  schema.dimensions = {d};
  schema.attributes = {attribute(table ? "a" : "", TypeId::int32)};
  if (table) schema.attributes.push_back(attribute("b", TypeId::int32));
  for (Attribute& a : schema.attributes) a.filters = parse_filters("blosc:lz4:5:shuffle", "bcolz");
  const std::shared_ptr<Array> array = create(store, schema);
  array->append(cells_for(schema, 30));
  return array;
}

TEST(ConvertStream, ChunksOfBcolzGoOverAsTheyAre) {
  struct Row {
    bool table;
    const char *field, *filters;
    std::vector<std::uint64_t> chunks;
    std::uint64_t passed;
  };
  const Row rows[] = {{false, nullptr, nullptr, {}, 4},
                      {true, nullptr, nullptr, {}, 8},
                      {true, "b", nullptr, {}, 4},
                      {true, nullptr, nullptr, {5}, 0},
                      {false, nullptr, "blosc:zstd:9:shuffle", {}, 0}};
  for (const Row& row : rows) {
    const std::shared_ptr<Store> from = make_memory_store(), to = make_memory_store();
    const std::shared_ptr<Array> source = bcolz_rows(from, row.table);
    ConvertOptions options;
    if (row.field) options.target.field = row.field;
    if (row.filters) options.target.filters = parse_filters(row.filters, "bcolz");
    options.target.chunks = row.chunks;
    const Converted made = convert(*source, to, options, {});
    EXPECT_EQ(made.passed, row.passed);
    EXPECT_EQ(compare(*source, *open(to), {}).same(), !row.field);
    EXPECT_TRUE(open(to)->verify().empty());
    if (row.passed == 0) continue;
    for (const char* name : {"data/__0.blp", "data/__3.blp"}) {
      const std::string key = row.table ? join("b", name) : name;
      ASSERT_TRUE(from->get(key) && to->get(key)) << key;
      EXPECT_EQ(*from->get(key), *to->get(key)) << key;
    }
    made.array->append(cells_for(made.array->schema(), 3));
    EXPECT_EQ(open(to)->schema().shape(), std::vector<std::uint64_t>{33});
  }
}

TEST(ConvertStream, ChunksOfBcolzGoOnWhereTheyWereStopped) {
  for (const bool table : {false, true}) {
    const std::shared_ptr<Array> source = bcolz_rows(make_memory_store(), table);
    ConvertOptions options;
    options.source_name = "source";
    EXPECT_GE(stop_at_every_change(*source, options, {}).resumed, 3u);
  }
}

}  // namespace
}  // namespace tegula
