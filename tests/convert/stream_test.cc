// Copies into TileDB as whole fragments, and copies of bcolz chunks as they are.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/endian.h"
#include "convert/compare.h"
#include "convert/convert.h"
#include "convert/filters.h"
#include "convert/record.h"
#include "format/open.h"
#include "store/memory.h"
#include "store/wrappers.h"
#include "tegula/error.h"

namespace tegula {
namespace {

Attribute attribute(const char* name, TypeId type, std::uint32_t values_per_cell = 1, bool nullable = false) {
  Attribute a;
  a.name = name;
  a.type = type;
  a.values_per_cell = values_per_cell;
  a.nullable = nullable;
  a.fill = Bytes(a.cell_size(), std::byte{0});
  return a;
}

template <class T>
void put(Bytes& out, T value) {
  out.resize(out.size() + sizeof(T));
  store_le(out.data() + out.size() - sizeof(T), value);
}

// Numbers, texts of many lengths, and numbers of which some are null; all different.
Batch cells_for(const Schema& schema, std::uint64_t cells) {
  Batch batch;
  batch.cells = cells;
  for (const Attribute& a : schema.attributes) {
    Column column;
    column.name = a.name;
    column.type = a.type;
    column.values_per_cell = a.values_per_cell;
    column.nullable = a.nullable;
    if (column.var()) column.offsets.push_back(0);
    for (std::uint64_t i = 0; i < cells; ++i) {
      if (column.var()) {
        const std::string text = std::string(i % 5, 'a') + std::to_string(i);
        column.data.insert(column.data.end(), bytes_of(text).begin(), bytes_of(text).end());
        column.offsets.push_back(column.data.size());
      } else {
        put(column.data, static_cast<std::int32_t>(i * 3));
      }
      if (a.nullable) column.validity.push_back(std::byte{i % 3 != 0});
    }
    batch.columns.push_back(std::move(column));
  }
  return batch;
}

Dimension dimension(const char* name, std::int64_t high, std::int64_t tile) {
  Dimension d;
  d.name = name;
  d.type = TypeId::int64;
  d.domain = {std::int64_t{0}, high};
  d.tile = tile;
  return d;
}

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
  Batch batch = cells_for(schema, 300);
  for (const char* name : {"x", "y"}) {
    Column column;
    column.name = name;
    column.type = TypeId::int64;
    for (std::int64_t i = 0; i < 300; ++i) put(column.data, *name == 'x' ? i * 37 % 1000 : i * 11 % 1000);
    batch.columns.push_back(std::move(column));
  }
  array->write(batch);
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
    std::size_t kept = 0;
    for (std::uint64_t at = 0;; ++at) {
      ASSERT_LT(at, 500u);
      const std::shared_ptr<Store> store = make_memory_store();
      const auto plan = std::make_shared<FaultPlan>();
      plan->at = at;
      try {
        EXPECT_GT(convert(*source, failing_store(store, plan), options, work).array->info().fragments.size(), 1u);
        break;
      } catch (const Error& error) {
        ASSERT_EQ(error.kind(), ErrorKind::io) << error.what();
      }
      if (!read_conversion(*store)) continue;
      const std::size_t before = open(store)->info().fragments.size();
      kept += before;
      EXPECT_TRUE(convert(*source, store, options, work).resumed);
      EXPECT_TRUE(compare(*source, *open(store), {}).same()) << "stopped at change " << at;
      EXPECT_GE(open(store)->info().fragments.size(), before);
    }
    EXPECT_GT(kept, 0u);
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
    std::size_t resumed = 0;
    for (std::uint64_t at = 0;; ++at) {
      ASSERT_LT(at, 500u);
      const std::shared_ptr<Store> store = make_memory_store();
      const auto plan = std::make_shared<FaultPlan>();
      plan->at = at;
      try {
        convert(*source, failing_store(store, plan), options, {});
        break;
      } catch (const Error& error) {
        ASSERT_EQ(error.kind(), ErrorKind::io) << error.what();
      }
      if (!read_conversion(*store)) continue;
      EXPECT_TRUE(convert(*source, store, options, {}).resumed);
      EXPECT_TRUE(compare(*source, *open(store), {}).same()) << "stopped at change " << at;
      ++resumed;
    }
    EXPECT_GE(resumed, 3u);
  }
}

}  // namespace
}  // namespace tegula
