#include "query/run/table_query.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>

#include "base/endian.h"
#include "query/make_columns.h"
#include "support/expect_error.h"

namespace tegula {
namespace {

using testing::integers;

// Rows k: i = k, f = k / 2, s = "r<k % 10>". Notes what was read.
class Table : public RowSource {
 public:
  explicit Table(std::uint64_t rows) : rows_(rows) {
    fields_ = {{"i", TypeId::int64, 1, false, false, nullptr},
               {"f", TypeId::float64, 1, false, false, nullptr},
               {"s", TypeId::ascii, kVar, false, false, nullptr}};
  }
  std::uint64_t rows() const override { return rows_; }
  const std::vector<FieldInfo>& fields() const override { return fields_; }
  std::uint64_t block_rows() const override { return 100; }
  void read_rows(std::size_t field, std::uint64_t first, std::uint64_t count, Column& out) const override {
    ASSERT_LE(first + count, rows_);
    read_[field] += count;
    out = empty_column(fields_[field]);
    for (std::uint64_t k = first; k < first + count; ++k) {
      const auto i = static_cast<std::int64_t>(k);
      const double f = static_cast<double>(k) / 2;
      const std::string s = "r" + std::to_string(k % 10);
      append_fill(out,
                  field == 0   ? std::as_bytes(std::span(&i, 1))
                  : field == 1 ? std::as_bytes(std::span(&f, 1))
                               : bytes_of(s),
                  true, 1);
    }
  }
  mutable std::atomic<std::uint64_t> read_[3] = {};

 private:
  std::uint64_t rows_;
  std::vector<FieldInfo> fields_;
};

TEST(TableQuery, Rows) {
  const struct {
    const char* where;
    const char* select;
    std::uint64_t skip, limit;
    std::vector<std::int64_t> rows;
  } kCases[] = {
      {"i < 3", "", 0, UINT64_MAX, {0, 1, 2}},
      {"(f > 499) & (s == 'r9')", "", 0, UINT64_MAX, {999}},
      {"s == 'r7'", "", 98, 1, {987}},
      {"s == 'r7'", "", 98, UINT64_MAX, {987, 997}},
      {"i >= 5000", "", 0, UINT64_MAX, {}},
      {"", "", 997, UINT64_MAX, {997, 998, 999}},
      {"", "", 250, 2, {250, 251}},
      {"", "", 2000, 5, {}},
      {"", "[[5, 999, 5, 0]]", 0, UINT64_MAX, {5, 999, 5, 0}},
      {"i % 2 == 0", "[10:14]", 0, UINT64_MAX, {10, 12}},
      {"", "[::-400]", 0, UINT64_MAX, {999, 599, 199}},
      {"", "[-1]", 0, UINT64_MAX, {999}},
      {"i > 3", "[0:0]", 0, UINT64_MAX, {}},
  };
  for (const auto& row : kCases) {
    for (const std::uint64_t memory : {std::uint64_t{1} << 30, std::uint64_t{1}}) {
      for (const unsigned threads : {1u, 3u}) {
        Query query;
        query.where = row.where;
        if (*row.select) query.select = parse_selection(row.select);
        query.skip = row.skip;
        query.limit = row.limit;
        query.row_numbers = true;
        query.work.memory = memory;
        query.work.threads = threads;
        const auto stream = query_table(std::make_shared<Table>(1000), query);
        const Batch batch = collect(*stream);
        EXPECT_EQ(integers(batch, "__row"), row.rows) << row.where << row.select;
        EXPECT_EQ(integers(batch, "i"), row.rows) << row.where << row.select;
        EXPECT_EQ(batch.cells, row.rows.size());
        ASSERT_EQ(batch.columns.size(), 4u);
        for (std::size_t k = 0; k < row.rows.size(); ++k)
          EXPECT_EQ(text_of(batch.columns[2].cell(k)), "r" + std::to_string(row.rows[k] % 10));
      }
    }
  }
}

// 2^45 rows: a list of what was asked for would not fit any memory.
TEST(TableQuery, StepsAndRangesTakeNoMemoryForEachRow) {
  const auto table = std::make_shared<Table>(std::uint64_t{1} << 46);
  Query query;
  query.row_numbers = true;
  query.limit = 3;
  query.work.memory = 1 << 20;
  query.select = parse_selection("[7::2]");
  EXPECT_EQ(integers(collect(*query_table(table, query)), "__row"), (std::vector<std::int64_t>{7, 9, 11}));
  query.skip = std::uint64_t{1} << 44;
  EXPECT_EQ(integers(collect(*query_table(table, query)), "i").at(0), (std::int64_t{1} << 45) + 7);
  query.select.reset();
  query.skip = 2;
  const Range whole{std::uint64_t{5}, (std::uint64_t{1} << 46) - 1}, few{std::uint64_t{1}, std::uint64_t{3}};
  query.ranges = {{"row", {few, few, whole, whole}}};
  query.limit = 6;
  EXPECT_EQ(integers(collect(*query_table(table, query)), "i"), (std::vector<std::int64_t>{3, 1, 2, 3, 5, 6}));
}

TEST(TableQuery, ReadsOnlyWhatItNeeds) {
  const auto table = std::make_shared<Table>(100000);
  Query query;
  query.where = "i == 99950";
  query.fields = {{"f"}};
  query.work.memory = 1 << 16;
  const Batch batch = collect(*query_table(table, query));
  ASSERT_EQ(batch.cells, 1u);
  EXPECT_EQ(load<double>(batch.columns[0].data.data()), 49975.0);
  EXPECT_EQ(table->read_[0], 100000u);
  EXPECT_EQ(table->read_[1], 100u);  // the chunk with the match
  EXPECT_EQ(table->read_[2], 0u);
}

TEST(TableQuery, AggregatesDoNotDependOnThreads) {
  std::set<std::string> results;
  for (const unsigned threads : {1u, 2u, 5u}) {
    Query query;
    query.where = "s != 'r3'";
    query.aggregates = parse_aggregates("count(), sum(i), mean(f), std(f), max(s)");
    query.work.threads = threads;
    query.work.memory = 1 << 20;  // several blocks
    const Batch batch = collect(*query_table(std::make_shared<Table>(30000), query));
    ASSERT_EQ(batch.cells, 1u);
    EXPECT_EQ(load<std::uint64_t>(batch.columns[0].data.data()), 27000u);
    EXPECT_EQ(text_of(batch.columns[4].cell(0)), "r9");
    std::string bytes;
    for (const Column& column : batch.columns) bytes += text_of(column.data);
    results.insert(bytes);
  }
  EXPECT_EQ(results.size(), 1u);
}

TEST(TableQuery, Refusals) {
  const auto ask = [](auto change) {
    Query query;
    change(query);
    return collect(*query_table(std::make_shared<Table>(10), query));
  };
  EXPECT_ERROR(invalid_argument, "no column 'x'", ask([](Query& q) { q.fields = {{"x"}}; }));
  EXPECT_ERROR(invalid_argument, "no field 'x'", ask([](Query& q) { q.where = "x > 1"; }));
  EXPECT_ERROR(invalid_argument, "not inside a table",
               ask([](Query& q) { q.ranges = {{"", {{std::int64_t{5}, std::int64_t{10}}}}}; }));
  EXPECT_EQ(integers(ask([](Query& q) {
                       q.ranges = {{"", {{std::int64_t{5}, std::int64_t{6}}, {std::int64_t{0}, std::int64_t{0}}}}};
                     }),
                     "i"),
            (std::vector<std::int64_t>{5, 6, 0}));
}

}  // namespace
}  // namespace tegula
