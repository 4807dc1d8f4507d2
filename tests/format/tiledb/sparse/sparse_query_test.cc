// Orders, ranges, budgets, time and deletes of sparse reads.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "format/tiledb/reader_support.h"
#include "support/expect_error.h"

namespace tegula::tiledb {
namespace {

using Longs = std::vector<std::int64_t>;

Query ordered(Order order) {
  Query query;
  query.order = order;
  return query;
}

// Rows of a batch as text, sorted: what does not depend on the order.
std::vector<std::string> rows(const Batch& batch) {
  std::vector<std::string> all;
  for (std::uint64_t i = 0; i < batch.cells; ++i) {
    std::string row;
    for (const Column& column : batch.columns)
      row += (column.valid(i) ? "v" : "n") + std::string(text_of(column.cell(i))) + "|";
    all.push_back(std::move(row));
  }
  std::sort(all.begin(), all.end());
  return all;
}

TEST(SparseQuery, OrdersOfTwoDimensions) {
  const auto array = open_copy("sparse_2d");
  const Batch by_row = ask(*array, ordered(Order::row)), by_col = ask(*array, ordered(Order::col));
  EXPECT_EQ(by_row.cells, 25u);
  const auto coordinates = [](const Batch& batch, std::size_t first, std::size_t second) {
    std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
    const Longs a = values<std::int64_t>(batch.columns[first]), b = values<std::int64_t>(batch.columns[second]);
    for (std::size_t i = 0; i < a.size(); ++i) pairs.emplace_back(a[i], b[i]);
    return pairs;
  };
  EXPECT_TRUE(std::ranges::is_sorted(coordinates(by_row, 0, 1)));
  EXPECT_TRUE(std::ranges::is_sorted(coordinates(by_col, 1, 0)));
  EXPECT_EQ(values<std::int64_t>(by_row.columns[0])[0], -17);
  for (const Order order : {Order::col, Order::global, Order::unordered})
    EXPECT_EQ(rows(ask(*array, ordered(order))), rows(by_row));
}

TEST(SparseQuery, SmallBudgetsGiveTheSameInPieces) {
  for (const char* name : {"sparse_2d", "sparse_string_dim", "sparse_float_dims", "sparse_hilbert", "sparse_dups",
                           "nullable_sparse", "consolidate_timestamps-2.30", "deletes-2.30"})
    for (const Order order : {Order::row, Order::col, Order::global, Order::unordered}) {
      const auto array = open_copy(name);
      const Batch whole = ask(*array, ordered(order));
      Query query = ordered(order);
      for (const std::uint64_t memory : {400u, 2000u}) {
        query.work.memory = memory;
        const Batch pieces = ask(*array, query);
        if (order == Order::unordered || std::string(name) == "sparse_dups") {
          EXPECT_EQ(rows(pieces), rows(whole)) << name;
        } else {
          EXPECT_TRUE(same(pieces, whole)) << name << " order " << static_cast<int>(order) << " in " << memory;
        }
      }
      if (order != Order::global || std::string(name) != "sparse_hilbert") {
        query.work.memory = 400;
        const auto stream = array->query(query);
        std::size_t batches = 0;
        while (stream->next()) ++batches;
        EXPECT_GT(batches, 1u) << name << " order " << static_cast<int>(order);
      }
    }
}

TEST(SparseQuery, ThreadsDoNotChangeTheAnswer) {
  for (const char* name : {"sparse_2d", "sparse_string_dim", "sparse_dups", "deletes-2.30"})
    for (const Order order : {Order::row, Order::global, Order::unordered}) {
      const auto array = open_copy(name);
      Query query = ordered(order);
      query.work.threads = 1;
      const Batch one = ask(*array, query);
      query.work.threads = 7;
      EXPECT_TRUE(same(ask(*array, query), one)) << name;
    }
}

// Row and column order show a cell once per range it lies in, as libtiledb does; other orders once.
TEST(SparseQuery, OverlappingRanges) {
  const auto array = open_copy("sparse_2d");
  Query query = ordered(Order::row);
  query.ranges = {{"r",
                   {{std::int64_t{1}, std::int64_t{20}},
                    {std::int64_t{-9}, std::int64_t{3}},
                    {std::int64_t{30}, std::int64_t{30}}}}};
  query.fields = {"r"};
  EXPECT_EQ(values<std::int64_t>(ask(*array, query).columns[0]),
            (Longs{-9, -9, -7, -6, -6, -5, 1, 1, 1, 1, 3, 3, 14, 14, 18, 30}));
  query.order = Order::unordered;
  EXPECT_EQ(ask(*array, query).cells, 13u);
  query.order = Order::row;
  query.skip = 3;
  query.limit = 4;
  EXPECT_EQ(values<std::int64_t>(ask(*array, query).columns[0]), (Longs{-6, -6, -5, 1}));
  query.skip = 100;
  const Batch nothing = ask(*array, query);
  EXPECT_EQ(nothing.cells, 0u);
  EXPECT_EQ(nothing.columns.size(), 1u);
}

TEST(SparseQuery, TimeTravelInsideOfAConsolidatedFragment) {
  std::vector<std::uint64_t> cells;
  for (const std::uint64_t end : {5u, 10u, 20u, 30u, 100u}) {
    OpenOptions options;
    options.at = {{0, end}};
    cells.push_back(ask(*open_copy("consolidate_timestamps-2.30", options), {}).cells);
  }
  EXPECT_EQ(cells[0], 0u);
  EXPECT_LT(cells[0], cells[1]);
  EXPECT_LE(cells[1], cells[2]);
  EXPECT_EQ(cells[3], cells[4]);
}

TEST(SparseQuery, AggregatesAgreeWithTheCells) {
  for (const char* name : {"sparse_2d", "nullable_sparse", "deletes-2.30", "consolidate_timestamps-2.30"}) {
    const auto array = open_copy(name);
    Query cells = ordered(Order::row), totals;
    const Attribute& attribute = array->schema().attributes[0];
    cells.fields = {attribute.name};
    totals.aggregates = {{"n", AggregateOp::count, ""},
                         {"s", AggregateOp::sum, attribute.name},
                         {"m", AggregateOp::min, attribute.name}};
    const Batch all = ask(*array, cells), found = ask(*array, totals);
    EXPECT_EQ(values<std::uint64_t>(found.columns[0])[0], all.cells);
    std::int64_t sum = 0, least = INT64_MAX;
    for (std::uint64_t i = 0; i < all.cells; ++i) {
      if (!all.columns[0].valid(i)) continue;
      const std::int64_t value = load_le<std::int32_t>(all.columns[0].cell(i).data());
      sum += value;
      least = std::min(least, value);
    }
    EXPECT_EQ(values<std::int64_t>(found.columns[1])[0], sum) << name;
    EXPECT_EQ(values<std::int32_t>(found.columns[2])[0], least) << name;
  }
}

TEST(SparseQuery, WrongQuestions) {
  const auto array = open_copy("sparse_2d");
  Query query;
  query.select.emplace();
  EXPECT_ERROR(invalid_argument, "ranges", ask(*array, query));
  query = {};
  query.ranges = {{"r", {{std::string("a"), std::string("b")}}}};
  EXPECT_ERROR(invalid_argument, "'a' is not a value", ask(*array, query));
  std::int32_t cell = 0;
  EXPECT_ERROR(unsupported, "query()", array->read({}, "a", {reinterpret_cast<std::byte*>(&cell), {}, {}}, {}));
}

}  // namespace
}  // namespace tegula::tiledb
