// Sorted sparse results that come in parts: where tiles overlap, and where their rectangles do not tell how cells lie.
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "format/tiledb/reader_support.h"
#include "format/tiledb/write_support.h"
#include "query/columns/gather.h"

namespace tegula::tiledb {
namespace {

constexpr std::uint64_t kCells = 1500;  // of a fragment
constexpr std::uint64_t kFragments = 4;

struct Source {
  std::string name;
  std::function<Dimension()> dimension;
  std::function<Value(std::uint64_t)> value;  // by a random number
};

Source numbers(std::string name, std::uint64_t count) {
  return {name,
          [=] {
            return writing::dimension(name, TypeId::int64, std::int64_t{0}, std::int64_t{1} << 20,
                                      std::int64_t{1} << 12);
          },
          [=](std::uint64_t r) { return Value(static_cast<std::int64_t>(r % count * ((1u << 20) / count))); }};
}

Source texts(std::string name, std::function<std::string(std::uint64_t)> text) {
  return {name, [=] { return writing::text_dimension(name); }, [=](std::uint64_t r) { return Value(text(r)); }};
}

std::string word(std::uint64_t r) {
  std::string text = "prefix-";
  for (int i = 0; i < 6; ++i, r /= 26) text += static_cast<char>('a' + r % 26);
  return text;
}

// Most cells share one text.
std::string mostly_one(std::uint64_t r) { return r % 16 < 13 ? "m" : word(r / 16); }

std::string high_bytes(std::uint64_t r) {
  std::string text;
  for (int i = 0; i < 3; ++i, r /= 61) text += static_cast<char>(0x60 + r % 61);
  return text;
}

struct Layout {
  std::string name;
  std::vector<Source> dimensions;
  Order cell_order = Order::row;
  bool duplicates = false;
};

std::vector<Layout> layouts() {
  const Source x = numbers("x", 4096), y = numbers("y", 512), few = numbers("f", 3);
  const Source words = texts("w", word), one = texts("m", mostly_one), high = texts("h", high_bytes);
  return {
      {"hilbert", {x, y}, Order::hilbert},
      {"hilbert with duplicates", {y, few}, Order::hilbert, true},
      {"hilbert of texts", {words, x}, Order::hilbert},
      {"hilbert of one text", {one, y}, Order::hilbert},
      {"hilbert of high bytes", {high, y}, Order::hilbert},
      {"words", {words}},
      {"words by columns", {x, words}, Order::col},
      {"words behind a few numbers", {few, words}},
      {"mostly one word", {one, x}},
      {"mostly one word, twice", {one, texts("n", mostly_one), x}},
      {"duplicates of words", {one, few}, Order::row, true},
  };
}

Column column_of(const Dimension& dimension, const std::vector<Value>& values) {
  Column column;
  column.name = dimension.name;
  column.type = dimension.type;
  column.values_per_cell = dimension.values_per_cell;
  if (column.var()) column.offsets.push_back(0);
  for (const Value& value : values) {
    value_to_bytes(dimension.type, value, column.data);
    if (column.var()) column.offsets.push_back(column.data.size());
  }
  return column;
}

// Fragments that all cover the whole domain, and share some of their places.
std::shared_ptr<Array> make_array(const Layout& layout) {
  Schema schema = writing::make_schema(true, {}, {writing::attribute("a", TypeId::int64)});
  for (const Source& source : layout.dimensions) schema.dimensions.push_back(source.dimension());
  schema.cell_order = layout.cell_order;
  schema.allows_duplicates = layout.duplicates;
  schema.capacity = 200;
  const std::shared_ptr<Array> array = create_array(make_memory_store(), schema, {});
  std::mt19937_64 random(layout.name.size());
  for (std::uint64_t f = 0; f < kFragments; ++f) {
    std::set<std::vector<Value>> places;
    std::vector<std::vector<Value>> values(layout.dimensions.size());
    std::vector<Value> numbers;
    for (std::uint64_t i = 0; i < kCells; ++i) {
      std::vector<Value> place;
      for (const Source& source : layout.dimensions) place.push_back(source.value(random()));
      if (!layout.duplicates && !places.insert(place).second) continue;
      for (std::size_t d = 0; d < place.size(); ++d) values[d].push_back(place[d]);
      numbers.emplace_back(static_cast<std::int64_t>(f * kCells + i));
    }
    Batch batch;
    batch.cells = numbers.size();
    for (std::size_t d = 0; d < values.size(); ++d) batch.columns.push_back(column_of(schema.dimensions[d], values[d]));
    batch.columns.push_back(column_of(writing::dimension("a", TypeId::int64, {}, {}), numbers));
    WriteOptions options;
    options.at = f + 1;
    array->write(batch, options);
  }
  return array;
}

TEST(SparseParts, FollowEachOtherInTheOrderOfTheResult) {
  for (const Layout& layout : layouts()) {
    const auto array = make_array(layout);
    for (const Order order : {Order::row, Order::col, Order::global}) {
      SCOPED_TRACE(layout.name + ", order " + std::to_string(static_cast<int>(order)));
      Query query;
      query.order = order;
      const Batch whole = ask(*array, query);
      ASSERT_GT(whole.cells, 1500u);
      query.work.memory = 120000;
      const auto stream = array->query(query);
      Batch all;
      std::uint64_t batches = 0, most = 0;
      while (const std::optional<Batch> batch = stream->next()) {
        ++batches;
        most = std::max(most, batch->cells);
        if (all.columns.empty())
          all = *batch;
        else
          append(all, *batch);
      }
      EXPECT_TRUE(same(all, whole));
      // Cells at one place stay together.
      const bool tied = layout.name == "duplicates of words";
      EXPECT_LT(most, tied ? 2500u : 1300u);
      EXPECT_GT(batches, 4u);
      EXPECT_LT(batches, 120u);
      query.skip = 777;
      query.limit = 555;
      EXPECT_TRUE(same(ask(*array, query), slice(whole, 777, 555)));
    }
  }
}

TEST(SparseParts, AreTheSameCellsWithoutAnOrder) {
  for (const Layout& layout : layouts()) {
    const auto array = make_array(layout);
    Query query;
    query.aggregates = {{"n", AggregateOp::count, ""}, {"s", AggregateOp::sum, "a"}};
    const Batch whole = ask(*array, query);
    query.work.memory = 120000;
    EXPECT_TRUE(same(ask(*array, query), whole)) << layout.name;
  }
}

TEST(SparseParts, OfRangesOfText) {
  const auto array = make_array({"words", {texts("w", word), numbers("x", 100)}});
  Query query;
  query.order = Order::row;
  query.ranges = {{"w", {{std::string("prefix-b"), std::string("prefix-gz")}, {std::string("prefix-s"), Value()}}},
                  {"x", {{std::int64_t{1000}, std::int64_t{700000}}}}};
  const Batch whole = ask(*array, query);
  ASSERT_GT(whole.cells, 500u);
  query.work.memory = 30000;
  EXPECT_TRUE(same(ask(*array, query), whole));
}

}  // namespace
}  // namespace tegula::tiledb
