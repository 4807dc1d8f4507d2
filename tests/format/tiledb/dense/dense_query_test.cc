// Selections, layouts and budgets of dense reads, each against a plain full read.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "format/tiledb/reader_support.h"
#include "support/expect_error.h"
#include "tegula/selection.h"

namespace tegula::tiledb {
namespace {

std::vector<std::int32_t> read_ints(const Array& array, const std::string& text, const std::string& field,
                                    const Work& work = {}) {
  const Selection selection = parse_selection(text);
  const Picks picks = resolve(selection, array.schema().shape());
  const std::vector<std::uint64_t> shape = picks.shape();
  std::vector<std::int32_t> values(picks.cells());
  StridedBuffer out{reinterpret_cast<std::byte*>(values.data()), shape, std::vector<std::int64_t>(shape.size())};
  std::int64_t stride = 4;
  for (std::size_t i = shape.size(); i-- > 0; stride *= static_cast<std::int64_t>(shape[i])) out.strides[i] = stride;
  array.read(selection, field, out, work);
  return values;
}

// The same from all cells, picked one by one.
std::vector<std::int32_t> pick(const Array& array, const std::vector<std::int32_t>& all, const std::string& text) {
  const std::vector<std::uint64_t> shape = array.schema().shape();
  const Picks picks = resolve(parse_selection(text), shape);
  std::vector<std::int32_t> values;
  for (std::uint64_t i = 0; i < picks.axes[0].count; ++i)
    for (std::uint64_t j = 0; j < picks.axes[1].count; ++j)
      values.push_back(all[picks.axes[0].at(i) * shape[1] + picks.axes[1].at(j)]);
  return values;
}

const char* const kSelections[] = {
    "[...]",        "[2:9, 3:11]",     "[::2, ::3]", "[::-1, ::-1]", "[10:1:-3, 2::4]",
    "[5]",          "[5, 7]",          "[:, -1]",    "[3:3]",        "[[0, 3, 5, 12], [1, 2, 3, 11]]",
    "[[12, 0, 0]]", "[1:12, [11, 0]]", "[0:4, 0:5]", "[4:8]",        "[12:, 11:]"};

TEST(DenseQuery, SelectionsPickWhatNumpyWould) {
  for (const char* name : {"dense_2d_int32"}) {
    const auto array = open_copy(name);
    const std::vector<std::int32_t> all = read_ints(*array, "[...]", "a");
    ASSERT_EQ(all[0], 858510706);
    for (const char* text : kSelections)
      for (const unsigned threads : {1u, 4u}) {
        Work work;
        work.threads = threads;
        EXPECT_EQ(read_ints(*array, text, "a", work), pick(*array, all, text)) << name << text;
      }
  }
}

TEST(DenseQuery, PointsAreWalkedTogether) {
  const auto array = open_copy("dense_2d_int32");
  const std::vector<std::int32_t> all = read_ints(*array, "[...]", "a");
  Query query;
  query.fields = {"a", "rows", "cols"};
  query.select.emplace();
  query.select->points = true;
  query.select->axes = {IndexList{12, 0, 5, 0}, IndexList{11, 3, 5, 3}};
  const Batch batch = ask(*array, query);
  EXPECT_EQ(values<std::int32_t>(batch.columns[0]), (std::vector<std::int32_t>{all[155], all[3], all[65], all[3]}));
  EXPECT_EQ(values<std::int32_t>(batch.columns[1]), (std::vector<std::int32_t>{9, -3, 2, -3}));
  EXPECT_EQ(values<std::int32_t>(batch.columns[2]), (std::vector<std::int32_t>{4, -4, -2, -4}));
}

TEST(DenseQuery, StridedDestinations) {
  const auto array = open_copy("dense_2d_int32");
  const std::vector<std::int32_t> all = read_ints(*array, "[...]", "a");
  // Columns first, with room between the rows, from the last row up.
  std::vector<std::int32_t> memory(12 * 20, 77);
  StridedBuffer out{reinterpret_cast<std::byte*>(memory.data() + 12), {13, 12}, {-4, 80}};
  array->read({}, "a", out, {});
  for (std::size_t i = 0; i < 13; ++i)
    for (std::size_t j = 0; j < 12; ++j) EXPECT_EQ(memory[12 - i + j * 20], all[i * 12 + j]);
  EXPECT_EQ(memory[13], 77);
  EXPECT_ERROR(invalid_argument, "shape", array->read({}, "a", {out.data, {12, 13}, {4, 4}}, {}));
  EXPECT_ERROR(invalid_argument, "no attribute 'z'", array->read({}, "z", out, {}));
}

TEST(DenseQuery, LayoutsHoldTheSameCells) {
  const auto array = open_copy("dense_2d_int32");
  const std::vector<std::int32_t> all = read_ints(*array, "[...]", "a");
  for (const Order order : {Order::row, Order::col, Order::global, Order::unordered}) {
    Query query;
    query.fields = {"rows", "cols", "a"};
    query.ranges = {{"rows", {{std::int64_t{-2}, std::int64_t{8}}}}, {"cols", {{std::int64_t{-6}, std::int64_t{4}}}}};
    query.order = order;
    const Batch batch = ask(*array, query);
    ASSERT_EQ(batch.cells, 11u * 11u);
    EXPECT_EQ(batch.shape.has_value(), order == Order::row || order == Order::unordered);
    const auto rows = values<std::int32_t>(batch.columns[0]), cols = values<std::int32_t>(batch.columns[1]);
    const auto cells = values<std::int32_t>(batch.columns[2]);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      EXPECT_EQ(cells[i], all[static_cast<std::size_t>((rows[i] + 3) * 12 + cols[i] + 7)]);
      if (i == 0) continue;
      const auto before = [&](std::size_t k) {
        switch (order) {
          case Order::col:
            return std::vector<int>{cols[k], rows[k]};
          case Order::global:
            return std::vector<int>{(rows[k] + 3) / 4, (cols[k] + 7) / 5, rows[k], cols[k]};
          default:
            return std::vector<int>{rows[k], cols[k]};
        }
      };
      EXPECT_LT(before(i - 1), before(i));
    }
  }
}

TEST(DenseQuery, SmallBudgetsGiveTheSameInPieces) {
  for (const char* name : {"dense_2d_int32", "dense_var", "dense_fragments_v4", "schema_evolution"}) {
    const auto array = open_copy(name);
    for (const Order order : {Order::row, Order::col, Order::global}) {
      Query query;
      query.order = order;
      const Batch whole = ask(*array, query);
      query.work.memory = 300;
      const auto stream = array->query(query);
      std::size_t batches = 0;
      Batch joined;
      while (std::optional<Batch> batch = stream->next()) {
        ++batches;
        std::uint64_t bytes = 0;
        for (const Column& column : batch->columns) bytes += column.bytes();
        EXPECT_LE(bytes, 700u) << name;
      }
      EXPECT_GT(batches, 1u) << name;
      Batch again = collect(*array->query(query));
      EXPECT_TRUE(same(again, whole)) << name << " order " << static_cast<int>(order);
    }
  }
}

TEST(DenseQuery, ConditionsLeaveFillAndAggregatesSkip) {
  const auto array = open_copy("dense_2d_int32");
  const std::vector<std::int32_t> all = read_ints(*array, "[...]", "a");
  Query query;
  query.fields = {"a"};
  query.where = "a > 0 and rows >= 0";
  const auto cells = values<std::int32_t>(ask(*array, query).columns[0]);
  std::int64_t sum = 0, count = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool matches = all[i] > 0 && i / 12 >= 3;
    EXPECT_EQ(cells[i], matches ? all[i] : INT32_MIN);
    if (matches) sum += all[i], ++count;
  }
  query.aggregates = parse_aggregates("count(), sum(a), mean(a)");
  query.fields.reset();
  const Batch found = ask(*array, query);
  EXPECT_EQ(values<std::uint64_t>(found.columns[0])[0], static_cast<std::uint64_t>(count));
  EXPECT_EQ(values<std::int64_t>(found.columns[1])[0], sum);
  EXPECT_DOUBLE_EQ(values<double>(found.columns[2])[0], static_cast<double>(sum) / static_cast<double>(count));
  query.as_libtiledb = true;
  EXPECT_EQ(values<std::uint64_t>(ask(*array, query).columns[0])[0], all.size());  // fill included
  query.as_libtiledb = false;
  // Whole tiles by their statistics, the rest by their cells: the same as cell by cell.
  query.where.clear();
  query.aggregates = parse_aggregates("count(), sum(a), min(a), max(a)");
  const Batch whole = ask(*array, query);
  EXPECT_EQ(values<std::int64_t>(whole.columns[1])[0], std::accumulate(all.begin(), all.end(), std::int64_t{0}));
  EXPECT_EQ(values<std::int32_t>(whole.columns[2])[0], *std::min_element(all.begin(), all.end()));
  EXPECT_EQ(values<std::int32_t>(whole.columns[3])[0], *std::max_element(all.begin(), all.end()));
}

TEST(DenseQuery, WrongQuestions) {
  const auto array = open_copy("dense_2d_int32");
  const auto with = [&](auto change) {
    Query query;
    change(query);
    return ask(*array, query);
  };
  EXPECT_ERROR(invalid_argument, "no field 'z'", with([](Query& q) { q.fields = {"z"}; }));
  EXPECT_ERROR(invalid_argument, "no dimension 'z'", with([](Query& q) { q.ranges = {{"z", {}}}; }));
  EXPECT_ERROR(invalid_argument, "outside of its domain [-3, 9]",
               with([](Query& q) { q.ranges = {{"rows", {{std::int64_t{0}, std::int64_t{10}}}}}; }));
  EXPECT_ERROR(invalid_argument, "ends before it starts",
               with([](Query& q) { q.ranges = {{"rows", {{std::int64_t{5}, std::int64_t{4}}}}}; }));
  EXPECT_ERROR(invalid_argument, "'x' is not a value",
               with([](Query& q) { q.ranges = {{"rows", {{std::string("x"), std::int64_t{4}}}}}; }));
  EXPECT_ERROR(invalid_argument, "table", with([](Query& q) { q.limit = 3; }));
}

}  // namespace
}  // namespace tegula::tiledb
