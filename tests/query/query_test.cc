#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>

#include "base/endian.h"
#include "model/strided.h"
#include "query/make_columns.h"
#include "query/run/grid_query.h"
#include "query/run/table_query.h"
#include "support/expect_error.h"

namespace tegula {
namespace {

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

std::vector<std::int64_t> integers(const Batch& batch, std::string_view name) {
  std::vector<std::int64_t> out;
  const Column* column = batch.column(name);
  if (!column) return {-999};
  for (std::size_t i = 0; i < column->cells(); ++i) out.push_back(load<std::int64_t>(column->cell(i).data()));
  return out;
}

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

// A 6 x 5 array with cell (y, x) = 10 y + x, domains from 1.
class Grid : public DenseSource {
 public:
  Grid() {
    for (const char* name : {"y", "x"}) {
      Dimension dimension;
      dimension.name = name;
      dimension.type = TypeId::int64;
      dimension.domain = {std::int64_t{1}, std::int64_t{*name == 'y' ? 6 : 5}};
      dimension.tile = std::int64_t{2};
      schema_.dimensions.push_back(dimension);
    }
    Attribute attribute;
    attribute.type = TypeId::int64;
    const std::int64_t fill = -1;
    attribute.fill = copy_of(std::as_bytes(std::span(&fill, 1)));
    schema_.attributes.push_back(attribute);
  }
  const Schema& schema() const override { return schema_; }
  void read(const Selection& selection, std::string_view, const StridedBuffer& out, const Work&) const override {
    const Picks picks = resolve(selection, {6, 5});
    ASSERT_EQ(picks.shape(), out.shape);
    auto* to = reinterpret_cast<std::int64_t*>(out.data);
    if (picks.points) {
      for (std::uint64_t k = 0; k < picks.cells(); ++k)
        *to++ = static_cast<std::int64_t>(10 * picks.axes[0].at(k) + picks.axes[1].at(k));
      return;
    }
    for (std::uint64_t y = 0; y < picks.axes[0].count; ++y)
      for (std::uint64_t x = 0; x < picks.axes[1].count; ++x)
        *to++ = static_cast<std::int64_t>(10 * picks.axes[0].at(y) + picks.axes[1].at(x));
  }

 private:
  Schema schema_;
};

TEST(DenseQuery, Cells) {
  const struct {
    const char* select;
    const char* where;
    std::vector<std::uint64_t> shape;
    std::vector<std::int64_t> cells;
  } kCases[] = {
      {"[1:3, ::2]", "", {2, 3}, {10, 12, 14, 20, 22, 24}},
      {"[1:3, ::2]", "value > 12", {2, 3}, {-1, -1, 14, 20, 22, 24}},
      {"[1:3, ::2]", "x == 3", {2, 3}, {-1, 12, -1, -1, 22, -1}},
      {"[2, 1:4]", "value != 22 and y == 3", {3}, {21, -1, 23}},
      {"[::-2, 4]", "", {3}, {54, 34, 14}},
      {"[[5, 0], [3]]", "", {2, 1}, {53, 3}},
      {"[0:0, 1]", "", {0}, {}},
      {"[3, 3]", "", {}, {33}},
  };
  for (const auto& row : kCases) {
    for (const std::uint64_t memory : {std::uint64_t{1} << 30, std::uint64_t{1}}) {
      Query query;
      query.select = parse_selection(row.select);
      query.where = row.where;
      query.work.memory = memory;
      const auto stream = query_dense(std::make_shared<Grid>(), query);
      const Batch batch = collect(*stream);
      EXPECT_EQ(batch.shape, row.shape) << row.select;
      EXPECT_EQ(integers(batch, ""), row.cells) << row.select << row.where;
      EXPECT_FALSE(stream->next());
    }
  }
}

TEST(DenseQuery, RangesCoordinatesAggregates) {
  Query query;
  query.ranges = {{"x", {{std::int64_t{2}, std::int64_t{3}}}},
                  {"y", {{std::int64_t{6}, std::int64_t{6}}, {std::int64_t{1}, std::int64_t{1}}}}};
  query.fields = {{"y", "x", ""}};
  const Batch batch = collect(*query_dense(std::make_shared<Grid>(), query));
  EXPECT_EQ(integers(batch, "y"), (std::vector<std::int64_t>{6, 6, 1, 1}));
  EXPECT_EQ(integers(batch, "x"), (std::vector<std::int64_t>{2, 3, 2, 3}));
  EXPECT_EQ(integers(batch, ""), (std::vector<std::int64_t>{51, 52, 1, 2}));
  query.fields.reset();
  query.aggregates = {{"n", AggregateOp::count, ""}, {"s", AggregateOp::sum, ""}, {"m", AggregateOp::max, "y"}};
  query.where = "value < 52";
  EXPECT_EQ(integers(collect(*query_dense(std::make_shared<Grid>(), query)), "s"), (std::vector<std::int64_t>{54}));
  EXPECT_EQ(integers(collect(*query_dense(std::make_shared<Grid>(), query)), "m"), (std::vector<std::int64_t>{6}));
  query.ranges[0].ranges[0].high = std::int64_t{9};
  EXPECT_ERROR(invalid_argument, "leaves its domain", query_dense(std::make_shared<Grid>(), query));
}

TEST(Gather, PicksAndJoins) {
  const Column s = testing::texts("s", TypeId::ascii, {"a", std::nullopt, "ccc", ""});
  const std::uint64_t indices[] = {2, 2, 0};
  const Column gathered = gather(s, indices);
  EXPECT_EQ(text_of(gathered.data), "cccccca");
  const std::uint8_t mask[] = {0, 1, 1, 0};
  const Column kept = filter(s, mask);
  ASSERT_EQ(kept.cells(), 2u);
  EXPECT_FALSE(kept.valid(0));
  EXPECT_EQ(text_of(kept.cell(1)), "ccc");
  Column joined = slice(s, 2, 2);
  append(joined, s, 0, 1);
  EXPECT_EQ(text_of(joined.cell(2)), "a");
  fill_unmatched(joined, std::vector<std::uint8_t>{1, 1, 0}, bytes_of("zz"), true);
  EXPECT_EQ(text_of(joined.cell(2)), "zz");
  const Column odd = testing::numbers<std::array<char, 3>>(
      "o", Datatype(TypeId::bytes, 3), {{'a', 'b', 'c'}, {'d', 'e', 'f'}, {'g', 'h', 'i'}, {'j', 'k', 'l'}});
  EXPECT_EQ(text_of(filter(odd, mask).data), "defghi");
}

}  // namespace
}  // namespace tegula
