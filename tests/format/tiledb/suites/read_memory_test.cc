// What reading holds in memory at once, as the system sees it.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "format/tiledb/reader_support.h"
#include "format/tiledb/write_support.h"
#include "support/sanitized.h"

namespace tegula::tiledb {
namespace {

constexpr std::uint64_t kMegabyte = 1 << 20;
constexpr std::uint64_t kChunk = 65536;
constexpr unsigned kThreads = 2;

std::uint64_t status_bytes(const std::string& name) {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(name)) return std::stoull(line.substr(name.size())) * 1024;
  return 0;
}

// The most memory that `work` adds to what the process has, or none where that cannot be measured.
template <class F>
std::optional<std::uint64_t> peak_of(const F& work) {
  std::ofstream reset("/proc/self/clear_refs");
  reset << "5" << std::flush;
  const bool measured = !testing::kSanitized && reset;
  const std::uint64_t before = status_bytes("VmRSS:");
  work();
  const std::uint64_t most = status_bytes("VmHWM:");
  return !measured || before == 0 ? std::nullopt : std::optional(most > before ? most - before : 0);
}

Work two_threads(std::uint64_t memory) {
  Work work;
  work.threads = kThreads;
  work.memory = memory;
  return work;
}

Column numbers(std::string name, const std::vector<std::int64_t>& values) {
  Column column;
  column.name = std::move(name);
  column.type = TypeId::int64;
  column.data.resize(values.size() * 8);
  std::memcpy(column.data.data(), values.data(), column.data.size());
  return column;
}

// Of int32, 160 MB that take little room in the store.
constexpr std::int64_t kSide = 6400;

std::shared_ptr<Array> dense_array() {
  using namespace writing;
  Schema schema = make_schema(false,
                              {dimension("y", TypeId::int64, std::int64_t{0}, kSide - 1, std::int64_t{400}),
                               dimension("x", TypeId::int64, std::int64_t{0}, kSide - 1, std::int64_t{800})},
                              {attribute("a", TypeId::int32, 1, false, {filter("lz4")})});
  const auto array = create_array(make_memory_store(), schema, {});
  std::vector<std::int32_t> rows(static_cast<std::size_t>(kSide * 400));
  for (std::int64_t first = 0; first < kSide; first += 400) {
    std::fill(rows.begin(), rows.end(), static_cast<std::int32_t>(first));
    Selection box;
    box.axes = {Slice{first, first + 400}, Slice{}};
    array->write(box, "a", {reinterpret_cast<const std::byte*>(rows.data()), {400, kSide}, {kSide * 4, 4}});
  }
  return array;
}

TEST(ReadMemory, ADenseReadHoldsTheResultAndAFewChunks) {
  const auto array = dense_array();
  const std::uint64_t result = kSide * kSide * 4;
  std::int32_t last = 0;
  const auto peak = peak_of([&] {
    Bytes out(result);
    array->read({}, "a", {out.data(), {kSide, kSide}, {kSide * 4, 4}}, two_threads(1 << 30));
    last = load_le<std::int32_t>(out.data() + result - 4);
  });
  EXPECT_EQ(last, kSide - 400);
  if (!peak) GTEST_SKIP() << "memory cannot be measured here";
  EXPECT_GE(*peak, result);
  EXPECT_LE(*peak, result + kThreads * 16 * kChunk + 64 * kMegabyte);
}

TEST(ReadMemory, ADenseStreamStaysBelowItsBudget) {
  const auto array = dense_array();
  constexpr std::uint64_t kBudget = 48 * kMegabyte;
  std::uint64_t cells = 0;
  const auto peak = peak_of([&] {
    Query query;
    query.work = two_threads(kBudget);
    const auto stream = array->query(query);
    // The batch before is still there while the next one is made.
    for (std::optional<Batch> batch = stream->next(), next; batch; batch = std::move(next)) {
      cells += batch->cells;
      next = stream->next();
    }
  });
  EXPECT_EQ(cells, kSide * kSide);
  if (!peak) GTEST_SKIP() << "memory cannot be measured here";
  EXPECT_LE(*peak, kBudget);
}

TEST(ReadMemory, ASparseStreamStaysBelowItsBudget) {
  using namespace writing;
  constexpr std::uint64_t kCells = 2000000;
  const auto array = create_array(
      make_memory_store(),
      make_schema(true, {dimension("x", TypeId::int64, std::int64_t{0}, std::int64_t{1} << 40, std::int64_t{1} << 20)},
                  {attribute("a", TypeId::int64)}),
      {});
  {
    Batch batch;
    batch.cells = kCells;
    std::vector<std::int64_t> x(kCells);
    for (std::uint64_t i = 0; i < kCells; ++i) x[i] = static_cast<std::int64_t>(i * 1000);
    batch.columns = {numbers("x", x), numbers("a", x)};
    array->write(batch);
  }
  constexpr std::uint64_t kBudget = 48 * kMegabyte;
  for (const Order order : {Order::unordered, Order::col}) {
    std::uint64_t cells = 0;
    std::int64_t last = -1;
    const auto peak = peak_of([&] {
      Query query;
      query.order = order;
      query.work = two_threads(kBudget);
      const auto stream = array->query(query);
      while (const std::optional<Batch> batch = stream->next()) {
        cells += batch->cells;
        const std::int64_t first = load_le<std::int64_t>(batch->column("x")->data.data());
        EXPECT_GT(first, last);
        last = first;
      }
    });
    EXPECT_EQ(cells, kCells);
    if (!peak) GTEST_SKIP() << "memory cannot be measured here";
    EXPECT_LE(*peak, kBudget);
  }
}

// Fragments that cover each other: the rectangles of their tiles say little about where cells lie.
TEST(ReadMemory, AStreamOfTextOrInHilbertOrderStaysBelowItsBudget) {
  using namespace writing;
  constexpr std::uint64_t kCells = 300000, kFragments = 4;
  constexpr std::uint64_t kBudget = 48 * kMegabyte;
  for (const bool text : {false, true}) {
    const Dimension x = dimension("x", TypeId::int64, std::int64_t{0}, std::int64_t{1} << 40, std::int64_t{1} << 20);
    Schema schema = make_schema(true, {text ? text_dimension("t") : x}, {attribute("a", TypeId::int64)});
    if (!text) schema.cell_order = Order::hilbert;
    const auto array = create_array(make_memory_store(), schema, {});
    for (std::uint64_t f = 0; f < kFragments; ++f) {
      Batch batch;
      batch.cells = kCells;
      std::vector<std::int64_t> places(kCells);
      for (std::uint64_t i = 0; i < kCells; ++i) places[i] = static_cast<std::int64_t>((i * kFragments + f) * 100000);
      batch.columns = {numbers("x", places), numbers("a", places)};
      if (text) {
        Column words;
        words.name = "t";
        words.type = TypeId::ascii;
        words.values_per_cell = kVar;
        words.offsets.push_back(0);
        for (const std::int64_t place : places) {
          const std::string word = "item " + std::to_string(1000000000000 + place);
          words.data.insert(words.data.end(), bytes_of(word).begin(), bytes_of(word).end());
          words.offsets.push_back(words.data.size());
        }
        batch.columns[0] = std::move(words);
      }
      array->write(batch);
    }
    std::uint64_t cells = 0;
    std::int64_t last = -1;
    const auto peak = peak_of([&] {
      Query query;
      query.order = Order::global;
      query.work = two_threads(kBudget);
      const auto stream = array->query(query);
      while (const std::optional<Batch> batch = stream->next()) {
        cells += batch->cells;
        const std::int64_t first = load_le<std::int64_t>(batch->column("a")->data.data());
        EXPECT_GT(first, last);
        last = first;
      }
    });
    EXPECT_EQ(cells, kCells * kFragments);
    if (!peak) GTEST_SKIP() << "memory cannot be measured here";
    EXPECT_LE(*peak, kBudget) << (text ? "text" : "Hilbert");
  }
}

}  // namespace
}  // namespace tegula::tiledb
