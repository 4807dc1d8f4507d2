// Cells sorted as integers, against a comparison of coordinates.
#include "format/tiledb/order/cell_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "base/endian.h"
#include "format/tiledb/disk/nd_range.h"

namespace tegula::tiledb {
namespace {

template <class T>
SchemaDimension number_dimension(TypeId type, T low, T high, T extent) {
  SchemaDimension dimension;
  dimension.type = Datatype(type);
  dimension.domain.resize(2 * sizeof(T));
  store_le<T>(dimension.domain.data(), low);
  store_le<T>(dimension.domain.data() + sizeof(T), high);
  dimension.extent.resize(sizeof(T));
  store_le<T>(dimension.extent.data(), extent);
  return dimension;
}

SchemaDimension text_dimension() {
  SchemaDimension dimension;
  dimension.type = Datatype(TypeId::ascii);
  dimension.values_per_cell = kVar;
  return dimension;
}

template <class T>
Column number_column(const std::vector<T>& values, TypeId type) {
  Column column;
  column.type = Datatype(type);
  column.data.resize(values.size() * sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) store_le<T>(column.data.data() + i * sizeof(T), values[i]);
  return column;
}

Column text_column(const std::vector<std::string>& values) {
  Column column;
  column.type = Datatype(TypeId::ascii);
  column.values_per_cell = kVar;
  column.offsets.push_back(0);
  for (const std::string& value : values) {
    column.data.insert(column.data.end(), bytes_of(value).begin(), bytes_of(value).end());
    column.offsets.push_back(column.data.size());
  }
  return column;
}

struct Case {
  std::string name;
  ArraySchema schema;
  std::vector<Column> columns;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  std::mt19937_64 random(7);
  const std::size_t n = 20000;  // enough to leave the small-case path of the sort
  std::vector<std::int64_t> narrow, wide;
  std::vector<std::int32_t> shorts;
  std::vector<float> floats;
  std::vector<double> doubles;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < n; ++i) {
    narrow.push_back(static_cast<std::int64_t>(random() % 100) - 50);
    wide.push_back(static_cast<std::int64_t>(random() >> 1) * (i % 2 ? 1 : -1));
    shorts.push_back(static_cast<std::int32_t>(random() % 1000));
    floats.push_back(static_cast<float>(random() % 64) / 4 - 8);
    doubles.push_back(static_cast<double>(static_cast<std::int64_t>(random() % 2001) - 1000) / 10);
    texts.push_back("common prefix " + std::string(random() % 3, 'a') + std::to_string(random() % 500));
  }
  floats[0] = -0.0f;
  floats[1] = 0.0f;
  ArraySchema grid;
  grid.sparse = true;
  grid.dimensions = {number_dimension<std::int64_t>(TypeId::int64, -50, 49, 8),
                     number_dimension<std::int32_t>(TypeId::int32, 0, 999, 100)};
  all.push_back({"two integers", grid, {number_column(narrow, TypeId::int64), number_column(shorts, TypeId::int32)}});
  ArraySchema large;
  large.dimensions = {number_dimension<std::int64_t>(TypeId::int64, INT64_MIN + 1, INT64_MAX - 1000, 1000),
                      number_dimension<std::int64_t>(TypeId::int64, -50, 49, 7)};
  all.push_back(
      {"more bits than a key has", large, {number_column(wide, TypeId::int64), number_column(narrow, TypeId::int64)}});
  ArraySchema swapped;
  swapped.dimensions = {large.dimensions[1], large.dimensions[0]};
  all.push_back({"the first dimension narrow",
                 swapped,
                 {number_column(narrow, TypeId::int64), number_column(wide, TypeId::int64)}});
  ArraySchema real;
  real.dimensions = {number_dimension<float>(TypeId::float32, -8, 8, 3),
                     number_dimension<double>(TypeId::float64, -100, 100, 7)};
  all.push_back({"floats", real, {number_column(floats, TypeId::float32), number_column(doubles, TypeId::float64)}});
  ArraySchema text;
  text.dimensions = {text_dimension(), number_dimension<std::int32_t>(TypeId::int32, 0, 999, 100)};
  all.push_back({"text first", text, {text_column(texts), number_column(shorts, TypeId::int32)}});
  ArraySchema last;
  last.dimensions = {number_dimension<std::int32_t>(TypeId::int32, 0, 999, 100), text_dimension()};
  all.push_back({"text last", last, {number_column(shorts, TypeId::int32), text_column(texts)}});
  return all;
}

std::uint64_t tile_of(const SchemaDimension& dimension, const Column& column, std::uint64_t i) {
  const double low =
      std::holds_alternative<double>(
          value_from_bytes(dimension.type, ByteView(dimension.domain).first(dimension.type.size)))
          ? std::get<double>(value_from_bytes(dimension.type, ByteView(dimension.domain).first(dimension.type.size)))
          : 0;
  if (dimension.type.id == TypeId::float32)
    return static_cast<std::uint64_t>((load_le<float>(column.cell(i).data()) - static_cast<float>(low)) /
                                      load_le<float>(dimension.extent.data()));
  if (dimension.type.id == TypeId::float64)
    return static_cast<std::uint64_t>((load_le<double>(column.cell(i).data()) - low) /
                                      load_le<double>(dimension.extent.data()));
  if (dimension.type.id == TypeId::int32)
    return static_cast<std::uint64_t>(load_le<std::int32_t>(column.cell(i).data()) -
                                      load_le<std::int32_t>(dimension.domain.data())) /
           static_cast<std::uint64_t>(load_le<std::int32_t>(dimension.extent.data()));
  return (static_cast<std::uint64_t>(load_le<std::int64_t>(column.cell(i).data())) -
          static_cast<std::uint64_t>(load_le<std::int64_t>(dimension.domain.data()))) /
         static_cast<std::uint64_t>(load_le<std::int64_t>(dimension.extent.data()));
}

// The order as the format's document words it.
std::vector<std::uint64_t> by_comparing(const Case& c, Order order) {
  const std::size_t n = c.columns.size();
  const auto dimension = [&](Order direction, std::size_t i) { return direction == Order::col ? n - 1 - i : i; };
  std::vector<std::uint64_t> indices(c.columns[0].cells());
  std::iota(indices.begin(), indices.end(), 0u);
  std::stable_sort(indices.begin(), indices.end(), [&](std::uint64_t a, std::uint64_t b) {
    if (order == Order::global)
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t d = dimension(c.schema.tile_order, i);
        if (c.schema.dimensions[d].var()) continue;
        const std::uint64_t x = tile_of(c.schema.dimensions[d], c.columns[d], a),
                            y = tile_of(c.schema.dimensions[d], c.columns[d], b);
        if (x != y) return x < y;
      }
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t d = dimension(order == Order::global ? c.schema.cell_order : order, i);
      const Column& column = c.columns[d];
      if (const int less = compare_values(column.type, column.var(), column.cell(a), column.cell(b)); less != 0)
        return less < 0;
    }
    return false;
  });
  return indices;
}

TEST(CellSort, AgreesWithComparing) {
  for (Case& c : cases())
    for (const Order tiles : {Order::row, Order::col})
      for (const Order cells : {Order::row, Order::col})
        for (const Order order : {Order::row, Order::col, Order::global}) {
          c.schema.tile_order = tiles;
          c.schema.cell_order = cells;
          if (order != Order::global && (tiles != Order::row || cells != Order::row)) continue;
          for (const unsigned threads : {1u, 4u}) {
            Work work;
            work.threads = threads;
            const Buffer<std::uint64_t> sorted = CellOrder(c.schema, order).sort(c.columns, work);
            EXPECT_TRUE(std::ranges::equal(sorted, by_comparing(c, order)))
                << c.name << ", order " << static_cast<int>(order) << ", " << threads << " threads";
          }
        }
}

TEST(CellSort, FindsTheFirstTwins) {
  // Few bits, so that key and index share an integer, and many, so that they do not.
  for (const auto& [factor, different] :
       {std::pair(INT64_C(16), 4), std::pair(INT64_C(16), 8), std::pair(INT64_C(1) << 45, 4)}) {
    std::vector<std::int64_t> values(150000);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] =
          static_cast<std::int64_t>((values.size() - i) / 8) * factor + static_cast<std::int64_t>(i) % different;
    Case c = cases().at(0);
    c.columns = {number_column<std::int64_t>(values, TypeId::int64)};
    c.schema.dimensions.resize(1);
    CellOrder::Twins twins;
    const Buffer<std::uint64_t> order = CellOrder(c.schema, Order::row).sort(c.columns, {}, &twins);
    std::optional<std::pair<std::uint64_t, std::uint64_t>> expected;
    for (std::size_t i = 1; i < order.size() && !expected; ++i)
      if (values[order[i - 1]] == values[order[i]]) expected = {order[i - 1], order[i]};
    EXPECT_EQ(twins, expected);
    EXPECT_EQ(expected.has_value(), different < 8);
  }
}

// Casting the number of a tile above 2^64 is undefined; on x86 such cells came first.
TEST(CellSort, TilesAbove2To64AreTheLast) {
  Case c;
  c.schema.dimensions = {number_dimension<double>(TypeId::float64, -1e300, 1e300, 1e-3),
                         number_dimension<float>(TypeId::float32, 0.0f, 3e38f, 1.0f)};
  c.columns = {number_column<double>({1e30, -1e300, 1e25, 1e300, 5}, TypeId::float64),
               number_column<float>({1e30f, 2e38f, 1e25f, 3e38f, 5}, TypeId::float32)};
  EXPECT_EQ(CellOrder(c.schema, Order::global).sort(c.columns, {}), (Buffer<std::uint64_t>{1, 4, 2, 0, 3}));
  c.schema.dimensions.erase(c.schema.dimensions.begin());
  c.columns.erase(c.columns.begin());
  EXPECT_EQ(CellOrder(c.schema, Order::global).sort(c.columns, {}), (Buffer<std::uint64_t>{4, 2, 0, 1, 3}));
}

// Took minutes when the common prefix was shortened by one byte at a time.
TEST(CellSort, LongTextsThatDifferInTheMiddle) {
  Case c;
  c.schema.dimensions = {text_dimension()};
  std::string first(6 << 20, 'x'), second = first;
  first[3 << 20] = 'z';
  c.columns = {text_column({first, second})};
  EXPECT_EQ(CellOrder(c.schema, Order::row).sort(c.columns, {}), (Buffer<std::uint64_t>{1, 0}));
}

TEST(CellSort, TheTwoZerosAreOnePlace) {
  const std::vector<Column> columns{number_column<float>({-0.0f, 0.0f, 1.0f}, TypeId::float32)};
  EXPECT_TRUE(CellOrder::same_place(columns, 0, 1));
  EXPECT_FALSE(CellOrder::same_place(columns, 1, 2));
}

}  // namespace
}  // namespace tegula::tiledb
