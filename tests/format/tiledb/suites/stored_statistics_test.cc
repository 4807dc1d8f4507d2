// Answers from the stored statistics of tiles, and tiles whose statistics are missing or wrong.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <set>

#include "format/tiledb/reader_build.h"
#include "format/tiledb/reader_support.h"
#include "format/tiledb/write_support.h"
#include "store/wrap/tracing_store.h"

namespace tegula::tiledb {
namespace {

constexpr std::size_t kCells = 100, kTile = 10;

template <class T>
Column column(std::string name, Datatype type, const std::vector<T>& values) {
  Column out;
  out.name = std::move(name);
  out.type = std::move(type);
  out.data.resize(values.size() * sizeof(T));
  std::memcpy(out.data.data(), values.data(), out.data.size());
  return out;
}

// Ten tiles of "v" over x = 0, 1, ...
std::shared_ptr<Store> stored(const std::vector<double>& v, bool sparse) {
  using namespace writing;
  const auto store = make_memory_store();
  Schema schema = make_schema(
      sparse, {dimension("x", TypeId::int64, std::int64_t{0}, std::int64_t{kCells - 1}, std::int64_t{kTile})},
      {attribute("v", TypeId::float64)});
  schema.capacity = kTile;
  const auto array = create_array(store, schema, {});
  Batch batch;
  batch.cells = v.size();
  if (sparse) {
    std::vector<std::int64_t> x(kCells);
    for (std::size_t i = 0; i < kCells; ++i) x[i] = static_cast<std::int64_t>(i);
    batch.columns = {column("x", TypeId::int64, x), column("v", TypeId::float64, v)};
    array->write(batch);
  } else {
    batch.columns = {column("v", TypeId::float64, v)};
    array->write(Selection{}, batch);
  }
  return store;
}

std::vector<double> rising() {
  std::vector<double> v(kCells);
  for (std::size_t i = 0; i < kCells; ++i) v[i] = 0.5 + static_cast<double>(i);
  return v;
}

struct Answer {
  Batch batch;
  std::size_t reads = 0;  // of the file of "v"
};

Answer ask_counted(const std::shared_ptr<Store>& store, const Query& query) {
  Answer answer;
  std::mutex mutex;
  const auto traced = tracing_store(store, [&](std::string_view line) {
    const std::lock_guard lock(mutex);
    answer.reads += line.starts_with("read") && line.find("a0.tdb") != std::string_view::npos;
  });
  answer.batch = ask(TiledbArray(traced, {}), query);
  return answer;
}

Query extremes() {
  Query query;
  query.aggregates = parse_aggregates("min(v),max(v),sum(v),count()");
  return query;
}

TEST(StoredStatistics, ExtremesOfFloatsComeFromTheMetadata) {
  for (const bool sparse : {false, true}) {
    SCOPED_TRACE(sparse);
    const Answer answer = ask_counted(stored(rising(), sparse), extremes());
    EXPECT_EQ(values<double>(answer.batch.columns[0]).at(0), 0.5);
    EXPECT_EQ(values<double>(answer.batch.columns[1]).at(0), 99.5);
    EXPECT_EQ(values<double>(answer.batch.columns[2]).at(0), 5000);
    EXPECT_EQ(values<std::uint64_t>(answer.batch.columns[3]).at(0), kCells);
    EXPECT_EQ(answer.reads, 0u);
  }
}

// A NaN makes the stored extremes forget what came before it: such tiles are read.
TEST(StoredStatistics, TilesWithNanAreRead) {
  std::vector<double> v = rising();
  v[5] = std::nan("");
  v[95] = std::nan("");
  v[47] = std::numeric_limits<double>::infinity();
  for (const bool sparse : {false, true}) {
    SCOPED_TRACE(sparse);
    const auto store = stored(v, sparse);
    const Answer answer = ask_counted(store, extremes());
    EXPECT_TRUE(std::isnan(values<double>(answer.batch.columns[0]).at(0)));
    EXPECT_TRUE(std::isnan(values<double>(answer.batch.columns[1]).at(0)));
    EXPECT_GT(answer.reads, 0u);
    // libtiledb replaces a NaN by what follows it.
    Query as_libtiledb = extremes();
    as_libtiledb.as_libtiledb = true;
    const Batch other = ask(TiledbArray(store, {}), as_libtiledb);
    EXPECT_EQ(values<double>(other.columns[0]).at(0), 6.5);
    EXPECT_EQ(values<double>(other.columns[1]).at(0), std::numeric_limits<double>::infinity());

    Query query;
    query.fields = {"v"};
    query.where = "v < 3";
    const std::vector<double> few = values<double>(ask(TiledbArray(store, {}), query).columns[0]);
    EXPECT_EQ(std::count_if(few.begin(), few.end(), [](double x) { return x < 3; }), 3);
    query.where = "v > 93";
    const std::vector<double> many = values<double>(ask(TiledbArray(store, {}), query).columns[0]);
    EXPECT_EQ(std::count_if(many.begin(), many.end(), [](double x) { return x > 93; }), 7);
  }
}

// Over x = 0 .. 9 in tiles of 5, cells that nobody wrote are passed over, whatever the fill value, also in tiles of
// which a part was written. libtiledb 2.30 does so except for count, which counts all cells, and answers 0 for nothing.
TEST(StoredStatistics, HolesArePassedOver) {
  struct Case {
    std::vector<std::pair<std::int64_t, std::int64_t>> writes;  // first and last x; v is x + 1
    std::int64_t low, high;
    std::string where;
    std::uint64_t all, count;  // for libtiledb, and by the common rule
    double sum, min, mean;     // NaN: there is none
  };
  const double nan = std::nan("");
  const Case cases[] = {
      {{{0, 2}}, 0, 3, "", 4, 3, 6, 1, 2},        {{{0, 2}}, 0, 3, "v < 100", 4, 3, 6, 1, 2},
      {{{0, 2}}, 0, 3, "v < 2", 4, 1, 1, 1, 1},   {{{0, 2}}, 3, 4, "", 2, 0, 0, nan, nan},
      {{{0, 2}}, 3, 7, "", 5, 0, 0, nan, nan},    {{{0, 1}, {4, 4}}, 0, 9, "", 10, 3, 8, 1, 8.0 / 3},
      {{{1, 3}}, 3, 4, "v < 100", 2, 1, 4, 4, 4}, {{{0, 9}, {2, 3}}, 0, 9, "", 10, 10, 55, 1, 5.5},
  };
  for (const double fill : {-1000.0, nan}) {
    for (const Case& c : cases) {
      SCOPED_TRACE(fmt::format("{} .. {} where '{}', fill {}", c.low, c.high, c.where, fill));
      using namespace writing;
      Schema schema =
          make_schema(false, {dimension("x", TypeId::int64, std::int64_t{0}, std::int64_t{9}, std::int64_t{5})},
                      {attribute("v", TypeId::float64)});
      schema.attributes[0].fill = column("v", TypeId::float64, std::vector{fill}).data;
      const auto array = create_array(make_memory_store(), schema, {});
      for (const auto& [first, last] : c.writes) {
        std::vector<double> v;
        for (std::int64_t x = first; x <= last; ++x) v.push_back(static_cast<double>(x + 1));
        Batch batch;
        batch.cells = v.size();
        batch.columns = {column("v", TypeId::float64, v)};
        array->write(Selection{{Slice{first, last + 1}}}, batch);
      }
      Query query;
      query.ranges = {{"x", {{c.low, c.high}}}};
      query.where = c.where;
      query.aggregates = parse_aggregates("count(),sum(v),min(v),mean(v)");
      const bool nothing = std::isnan(c.min);
      const Batch answer = ask(*array, query);
      EXPECT_EQ(values<std::uint64_t>(answer.columns[0]).at(0), c.count);
      EXPECT_EQ(values<double>(answer.columns[1]).at(0), c.sum);
      EXPECT_EQ(answer.columns[2].valid(0), !nothing);
      EXPECT_EQ(answer.columns[3].valid(0), !nothing);
      if (!nothing) {
        EXPECT_EQ(values<double>(answer.columns[2]).at(0), c.min);
        EXPECT_EQ(values<double>(answer.columns[3]).at(0), c.mean);
      }
      query.as_libtiledb = true;
      const Batch other = ask(*array, query);
      EXPECT_EQ(values<std::uint64_t>(other.columns[0]).at(0), c.all);
      EXPECT_EQ(values<double>(other.columns[1]).at(0), c.sum);
      EXPECT_EQ(values<double>(other.columns[2]).at(0), nothing ? 0 : c.min);
      const double mean = values<double>(other.columns[3]).at(0);
      EXPECT_TRUE(mean == c.mean || (std::isnan(mean) && std::isnan(c.mean))) << mean;
    }
  }
}

TEST(StoredStatistics, TilesWithoutAMatchAreNotRead) {
  const auto store = stored(rising(), true);
  Query query;
  query.where = "v > 90";
  const Answer all = ask_counted(store, {}), one = ask_counted(store, query);
  EXPECT_EQ(all.batch.cells, kCells);
  EXPECT_EQ(one.batch.cells, 10u);
  EXPECT_EQ(values<std::int64_t>(*one.batch.column("x")),
            (std::vector<std::int64_t>{90, 91, 92, 93, 94, 95, 96, 97, 98, 99}));
  query.where = "v > 1000";
  EXPECT_EQ(ask_counted(store, query).reads, 0u);
}

Query sum_and_extremes(const std::string& field) {
  Query query;
  query.aggregates = parse_aggregates(fmt::format("sum({0}), min({0}), max({0})", field));
  return query;
}

// libtiledb consolidates whole tiles, and counts the fill values behind the end of the domain.
TEST(StoredStatistics, OfTilesThatReachPastTheDomainAreNotTrusted) {
  HandMadeArray made(14, 10);
  constexpr std::int32_t kFill = std::numeric_limits<std::int32_t>::min();
  made.write(5, 0, std::vector<std::int32_t>(15, 1),
             {.mins = {1, kFill}, .maxs = {1, 1}, .sums = {10, static_cast<std::uint64_t>(5 + 5ll * kFill)}});
  const Batch batch = ask(TiledbArray(made.store(), {}), sum_and_extremes("a"));
  EXPECT_EQ(values<std::int64_t>(batch.columns[0]), (std::vector<std::int64_t>{15}));
  EXPECT_EQ(values<std::int32_t>(batch.columns[1]), (std::vector<std::int32_t>{1}));
  EXPECT_EQ(values<std::int32_t>(batch.columns[2]), (std::vector<std::int32_t>{1}));
}

TEST(StoredStatistics, OfLossyFiltersAreNotTrusted) {
  using namespace writing;
  for (const bool sparse : {false, true}) {
    const auto store = make_memory_store();
    Schema schema = make_schema(
        sparse, {dimension("x", TypeId::int64, std::int64_t{0}, std::int64_t{9}, std::int64_t{10})},
        {attribute("v", TypeId::float64, 1, false,
                   {{"scale_float", {{"factor", 1.0}, {"offset", 0.0}, {"byte_width", std::uint64_t{4}}}}})});
    schema.allows_duplicates = sparse;
    const auto array = create_array(store, schema, {});
    std::vector<std::int64_t> x;
    std::vector<double> v;
    for (std::int64_t i = 0; i < 10; ++i) {
      x.push_back(i);
      v.push_back(static_cast<double>(i) + 0.75);  // stored as i + 1
    }
    Batch batch;
    batch.cells = 10;
    batch.columns = {column("v", TypeId::float64, v)};
    if (sparse) {
      batch.columns.push_back(column("x", TypeId::int64, x));
      array->write(batch);
    } else {
      array->write(Selection{}, batch);
    }
    const std::vector<double> read = values<double>(*ask(*array, {}).column("v"));
    const Batch found = ask(*array, sum_and_extremes("v"));
    double sum = 0;
    for (const double value : read) sum += value;
    EXPECT_EQ(values<double>(found.columns[0])[0], sum);
    EXPECT_EQ(values<double>(found.columns[1])[0], read.front());
    EXPECT_EQ(values<double>(found.columns[2])[0], read.back());
    Query largest;
    largest.where = "v >= 10";
    if (sparse) {
      EXPECT_EQ(ask(*array, largest).cells, 1u);
    }
  }
}

}  // namespace
}  // namespace tegula::tiledb
