// Carrays and tables against an oracle in memory.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <random>
#include <thread>

#include "base/endian.h"
#include "format/bcolz/fixtures.h"
#include "model/chunk_plan.h"
#include "support/expect_error.h"
#include "tegula/bcolz.h"

namespace tegula::bcolz {
namespace {

using Random = std::mt19937;

std::uint64_t below(Random& random, std::uint64_t n) { return n ? random() % n : 0; }

Selection random_selection(Random& random, const std::vector<std::uint64_t>& shape) {
  Selection out;
  for (const std::uint64_t extent : shape) {
    const auto n = static_cast<std::int64_t>(extent);
    switch (below(random, n ? 5 : 2)) {
      case 0:
        out.axes.emplace_back(Slice{});
        break;
      case 1: {
        auto a = static_cast<std::int64_t>(below(random, extent + 1)),
             b = static_cast<std::int64_t>(below(random, extent + 1));
        out.axes.emplace_back(Slice{std::min(a, b), std::max(a, b), 1 + static_cast<std::int64_t>(below(random, 4))});
        break;
      }
      case 2:
        out.axes.emplace_back(Slice{{}, {}, -1 - static_cast<std::int64_t>(below(random, 3))});
        break;
      case 3:
        out.axes.emplace_back(static_cast<std::int64_t>(below(random, extent)) - (random() % 2 ? n : 0));
        break;
      default: {
        // Without repetitions: which of two values of a cell wins is not defined.
        IndexList list;
        for (std::int64_t i = 0; i < n; ++i)
          if (random() % 3 == 0) list.push_back(i);
        std::shuffle(list.begin(), list.end(), random);
        if (list.empty()) list.push_back(0);
        out.axes.emplace_back(std::move(list));
      }
    }
  }
  return out;
}

// The whole array as one chunk in memory: the selection engine is tested elsewhere.
struct Oracle {
  std::vector<std::uint64_t> shape;
  std::size_t item = 1;
  Bytes data;

  ChunkPlan plan(const Selection& selection) const { return {resolve(selection, shape), shape, shape}; }
  std::vector<std::int64_t> strides() const { return contiguous_strides(shape, item); }
  Bytes read(const Selection& selection) const {
    const std::vector<std::uint64_t> out_shape = resolve(selection, shape).shape();
    Bytes out(cell_count(out_shape) * item);
    if (!out.empty())
      plan(selection).gather(0, data.data(), strides(), {out.data(), out_shape, contiguous_strides(out_shape, item)},
                             item);
    return out;
  }
  void write(const Selection& selection, ByteView values) {
    const std::vector<std::uint64_t> in_shape = resolve(selection, shape).shape();
    if (!values.empty())
      plan(selection).scatter(0, data.data(), strides(), {values.data(), in_shape, contiguous_strides(in_shape, item)},
                              item);
  }
  void resize(std::uint64_t rows) {
    const std::size_t row = item * cell_count(std::span(shape).subspan(1));
    shape[0] = rows;
    const std::size_t old = data.size();
    data.resize(rows * row);
    if (data.size() > old) std::memset(data.data() + old, 0, data.size() - old);
  }
};

Bytes random_bytes(Random& random, std::size_t n) {
  Bytes out(n);
  for (std::byte& b : out) b = static_cast<std::byte>(random() % 3 ? 7 : random());
  return out;
}

TEST(Write, RandomChangesAgreeWithTheOracle) {
  struct Row {
    const char* dtype;
    std::uint64_t chunklen;
    std::vector<std::uint64_t> inner;
  };
  Random random(20);
  for (const Row& row : {Row{"int32", 7, {}},
                         {"|S5", 1, {}},
                         {"int16", 4, {3, 2}},
                         {"float64", 900, {}},
                         {"|V3", 5, {2}},
                         {"uint8", 6, {1}}}) {
    std::vector<std::uint64_t> shape{0};
    shape.insert(shape.end(), row.inner.begin(), row.inner.end());
    const std::shared_ptr<Store> store = make_memory_store();
    std::shared_ptr<Array> array = create(store, carray_schema(row.dtype, row.chunklen, shape));
    const Datatype type = datatype_from_numpy(row.dtype);
    Oracle oracle{shape, type.full_size(), {}};
    const std::size_t row_bytes = type.full_size() * cell_count(row.inner);
    for (int step = 0; step < 60; ++step) {
      SCOPED_TRACE(fmt::format("{} step {}", row.dtype, step));
      switch (below(random, 4)) {
        case 0: {
          Column added;
          added.type = type;
          added.data = random_bytes(random, below(random, 20) * row_bytes);
          oracle.data.insert(oracle.data.end(), added.data.begin(), added.data.end());
          oracle.shape[0] += added.data.size() / row_bytes;
          array->append({{added}, 0, {}});
          break;
        }
        case 1: {
          std::vector<std::uint64_t> next = oracle.shape;
          next[0] = below(random, 60);
          array->resize(next);
          oracle.resize(next[0]);
          break;
        }
        default: {
          const Selection selection = random_selection(random, oracle.shape);
          const std::vector<std::uint64_t> in = resolve(selection, oracle.shape).shape();
          const Bytes values = random_bytes(random, cell_count(in) * oracle.item);
          array->write(selection, "", {values.data(), in, contiguous_strides(in, oracle.item)});
          oracle.write(selection, values);
        }
      }
      if (random() % 4 == 0) array = open(store);
      ASSERT_EQ(array->schema().shape(), oracle.shape);
      ASSERT_EQ(read(*array, "[...]"), oracle.data);
      const Selection selection = random_selection(random, oracle.shape);
      ASSERT_EQ(read(*array, selection), oracle.read(selection));
    }
    EXPECT_TRUE(array->verify().empty()) << array->verify()[0].text;
  }
}

TEST(Write, EveryCodecAndShuffle) {
  std::vector<std::int32_t> values;
  for (int i = 0; i < 30000; ++i) values.push_back(i * i % 1000);
  for (const char* cname : {"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"})
    for (const char* shuffle : {"noshuffle", "shuffle", "bitshuffle"}) {
      Schema schema = carray_schema("int32", 20000);
      schema.attributes[0].filters = {{"blosc", {{"cname", cname}, {"level", std::int64_t{3}}, {"shuffle", shuffle}}}};
      const auto array = create(make_memory_store(), schema);
      array->append({{column("", "int32", values)}, 0, {}});
      EXPECT_EQ(values_of<std::int32_t>(*array), values) << cname << shuffle;
      EXPECT_EQ(array->schema().attributes[0].filters, schema.attributes[0].filters);
    }
}

TEST(Write, QuantizeRoundsAsBcolzDoes) {
  Schema schema = carray_schema("float64", 100);
  schema.attributes[0].filters = {{"blosc", {{"quantize", std::int64_t{1}}}}};
  const auto array = create(make_memory_store(), schema);
  array->append({{column("", "float64", std::vector<double>{1.03125, -0.09, 1e9, 0.15625})}, 0, {}});
  EXPECT_EQ(values_of<double>(*array), (std::vector<double>{1.0, -0.0625, 1e9, 0.125}));  // multiples of 1/16
  schema.attributes[0].type = TypeId::int32;
  EXPECT_ERROR(invalid_argument, "quantized", create(make_memory_store(), schema));
}

TEST(Write, ResizeFillsWithTheDefault) {
  const std::shared_ptr<Store> store = make_memory_store();
  Schema schema = carray_schema("int16", 4, {3, 2});
  schema.attributes[0].fill = bytes_from<std::int16_t>({-7});
  create(store, schema);
  const auto array = open(store);
  EXPECT_EQ(values_of<std::int16_t>(*array), std::vector<std::int16_t>(6, -7));
  array->resize({11, 2});
  EXPECT_EQ(values_of<std::int16_t>(*array), std::vector<std::int16_t>(22, -7));
  EXPECT_ERROR(invalid_argument, "rows", array->resize({11, 3}));
}

TEST(Write, TablesAppendTrimAndChangeColumns) {
  const std::shared_ptr<Store> store = make_memory_store();
  const auto table = create(store, table_schema(6));
  table->append(table_rows(0, 20));
  table->append(table_rows(20, 5));
  const auto expected = [](int rows) {
    const auto other = create(make_memory_store(), table_schema(9));
    other->append(table_rows(0, rows));
    return all_of(*other);
  };
  EXPECT_EQ(all_of(*open(store)), expected(25));
  table->resize({13});
  EXPECT_EQ(all_of(*open(store)), expected(13));
  EXPECT_EQ(store->list("k/data").size(), 3u);

  add_column(*table, attribute("new", "|S2"), {});
  EXPECT_EQ(values_of<char>(*table, "[:]", "new"), std::vector<char>(26, 0));
  rename_column(*table, "f", "weight");
  drop_column(*table, "k");
  std::vector<std::string> names;
  const auto reopened = open(store);
  for (const Attribute& a : reopened->schema().attributes) names.push_back(a.name);
  EXPECT_EQ(names, (std::vector<std::string>{"weight", "v", "new"}));
  EXPECT_EQ(values_of<double>(*table, "[3]", "weight"), std::vector<double>{1.5});
  EXPECT_TRUE(store->list("k").empty());
  EXPECT_TRUE(table->verify().empty());
}

TEST(Write, ColumnsOfOneValueKeepTheirAxis) {
  const std::shared_ptr<Store> store = make_memory_store();
  Schema schema = table_schema(6);
  schema.attributes[0].cell_shape = {1};
  create(store, schema)->append(table_rows(0, 3));
  const auto reopened = open(store);
  EXPECT_EQ(reopened->schema().attributes[0].cell_shape, std::vector<std::uint64_t>{1});
  EXPECT_TRUE(reopened->schema().attributes[1].cell_shape.empty());
  EXPECT_EQ(values_of<std::int32_t>(*reopened, "[:]", "k"), (std::vector<std::int32_t>{0, 1, 2}));
}

TEST(Write, WhatDoesNotFitIsRefusedBeforeAnythingChanges) {
  const std::shared_ptr<Store> store = make_memory_store();
  const auto table = create(store, table_schema(6));
  table->append(table_rows(0, 8));
  const std::string before = all_of(*table);
  Batch unequal = table_rows(0, 3);
  unequal.columns[1].data.resize(8);
  EXPECT_ERROR(invalid_argument, "rows", table->append(unequal));
  Batch other = table_rows(0, 3);
  other.columns[0].type = TypeId::uint32;
  EXPECT_ERROR(invalid_argument, "'k' takes int32", table->append(other));
  other.columns.pop_back();
  EXPECT_ERROR(invalid_argument, "columns", table->append(other));
  EXPECT_ERROR(invalid_argument, "already", add_column(*table, attribute("k", "int8"), {}));
  EXPECT_ERROR(invalid_argument, "folder", add_column(*table, attribute("a/b", "int8"), {}));
  EXPECT_ERROR(invalid_argument, "'x'", drop_column(*table, "x"));
  EXPECT_ERROR(invalid_argument, "something already", create(store, table_schema(6)));
  Schema sparse = carray_schema("int32", 4);
  sparse.sparse = true;
  EXPECT_ERROR(unsupported, "sparse", create(make_memory_store(), sparse));
  Schema text = carray_schema("int32", 4);
  text.attributes[0].values_per_cell = kVar;
  EXPECT_ERROR(unsupported, "any length", create(make_memory_store(), text));
  Schema zstd = carray_schema("int32", 4);
  zstd.attributes[0].filters = {{"zstd", {}}};
  EXPECT_ERROR(invalid_argument, "blosc", create(make_memory_store(), zstd));
  EXPECT_EQ(all_of(*open(store)), before);
}

TEST(Write, AttributesKeepTheirOrder) {
  const std::shared_ptr<Store> store = make_memory_store();
  const auto array = create(store, carray_schema("int32", 4));
  const auto json = [](std::string_view text) { return MetaValue{TypeId::utf8, 0, copy_of(bytes_of(text)), true}; };
  store->put_text("__attrs__", "{\"z\": 1, \"a\": [1, 2]}\n");
  array->update_metadata({{"m", json("\"\\u00e9\"")}, {"z", json("NaN")}});
  EXPECT_EQ(text_of(*store->get("__attrs__")), "{\"z\": NaN, \"a\": [1, 2], \"m\": \"\\u00e9\"}\n");
  array->update_metadata(
      {{"z", std::nullopt}, {"n", MetaValue{TypeId::int32, 1, bytes_from<std::int32_t>({5}), false}}});
  EXPECT_EQ(text_of(*store->get("__attrs__")), "{\"a\": [1, 2], \"m\": \"\\u00e9\", \"n\": 5}\n");
  EXPECT_EQ(text_of(array->metadata().at("a").data), "[1, 2]");
}

TEST(Write, ReadersGoOnWhileRowsAreAdded) {
  const auto array = create(make_memory_store(), carray_schema("int32", 50));
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (int i = 0; i < 60; ++i)
      array->append({{column("", "int32", std::vector<std::int32_t>{3 * i, 3 * i + 1, 3 * i + 2})}, 0, {}});
    done = true;
  });
  std::size_t most = 0;
  while (!done || most < 180) {
    Query query;
    const Batch seen = collect(*array->query(query));
    const Bytes& data = seen.columns.at(0).data;
    ASSERT_EQ(data.size() % 12, 0u);
    for (std::size_t i = 0; i < data.size() / 4; ++i)
      ASSERT_EQ(load<std::int32_t>(data.data() + 4 * i), static_cast<std::int32_t>(i));
    most = data.size() / 4;
  }
  writer.join();
}

TEST(Write, QueriesOfATable) {
  const auto table = create(make_memory_store(), table_schema(6));
  table->append(table_rows(0, 100));
  Query query;
  query.where = "(f > 20) & (k == 7)";
  query.fields = std::vector<std::string>{"f", "v"};
  query.row_numbers = true;
  const Batch rows = collect(*table->query(query));
  ASSERT_EQ(rows.cells, 6u);  // 47, 57 .. 97
  EXPECT_EQ(load<double>(rows.column("f")->cell(0).data()), 23.5);
  EXPECT_EQ(load<std::int16_t>(rows.column("v")->cell(5).data()), 291);
  EXPECT_EQ(load<std::uint64_t>(rows.column("__row")->cell(5).data()), 97u);
  Query sums;
  sums.aggregates = parse_aggregates("count(),sum(k)");
  const Batch totals = collect(*table->query(sums));
  EXPECT_EQ(load<std::int64_t>(totals.columns.at(1).data.data()), 450);
}

}  // namespace
}  // namespace tegula::bcolz
