#include "format/tiledb/write/write_runs.h"

#include <gtest/gtest.h>

#include <numeric>

#include "format/tiledb/line_support.h"
#include "model/strided.h"
#include "store/wrap/failing_store.h"
#include "support/expect_error.h"

namespace tegula::tiledb {
namespace {

using namespace writing;

constexpr std::int64_t kRows = 7, kColumns = 9;

Schema grid(std::vector<Attribute> attributes = {attribute("a", TypeId::int32)}) {
  return make_schema(false,
                     {dimension("y", TypeId::int64, std::int64_t{0}, kRows - 1, std::int64_t{3}),
                      dimension("x", TypeId::int64, std::int64_t{0}, kColumns - 1, std::int64_t{4})},
                     std::move(attributes));
}

std::vector<std::int32_t> all_of(const Array& array) {
  Query query;
  query.fields = {"a"};
  return values<std::int32_t>(ask(array, query).columns[0]);
}

void write_values(Array& array, const Selection& selection, const std::vector<std::int32_t>& numbers,
                  std::uint64_t time) {
  const std::vector<std::uint64_t> shape = resolve(selection, array.schema().shape()).shape();
  ASSERT_EQ(cell_count(shape), numbers.size());
  array.write(selection, "a",
              {reinterpret_cast<const std::byte*>(numbers.data()), shape, contiguous_strides(shape, 4, false)},
              at(time));
}

// Every selection writes exactly its cells: the array holds what a model does, and what somebody else wrote between.
TEST(WriteRuns, WritesExactlyTheCellsSelected) {
  const std::pair<const char*, bool> selections[] = {
      {"[::2, ::3]", false},
      {"[1::2]", false},
      {"[::-3, 1:7:2]", false},
      {"[[5, 0, 6], 2:4]", false},
      {"[:, [3, 2, 8]]", false},
      {"[4, ::4]", false},
      {"[[1, 1, 2], [0, 4]]", false},
      {"[-1, [8, 7, 6, 1]]", false},
      {"[[0, 6, 3], [1, 8, 4]]", true},
      {"[[2, 2, 2], [5, 6, 5]]", true},
      {"[[6, 6, 0], [2, 1, 0]]", true},
  };
  for (const std::uint32_t version : {9u, 22u}) {
    for (const auto& [text, points] : selections) {
      for (const bool batches : {false, true}) {
        SCOPED_TRACE(std::string(text) + (batches ? " as a batch" : "") + " version " + std::to_string(version));
        const auto store = make_memory_store();
        const std::shared_ptr<Array> array = make(store, grid(), version);
        std::vector<std::int32_t> model(kRows * kColumns);
        std::iota(model.begin(), model.end(), 1000);
        write_values(*array, Selection{}, model, 2);
        Selection selection = parse_selection(text);
        selection.points = points;
        const Picks picks = resolve(selection, {kRows, kColumns});
        const std::vector<std::uint64_t> full = picks.full_shape();
        std::vector<std::int32_t> numbers(picks.cells());
        std::iota(numbers.begin(), numbers.end(), 1);
        for (std::uint64_t i = 0; i < numbers.size(); ++i) {
          const std::uint64_t y = picks.axes[0].at(points ? i : i / full[1]);
          const std::uint64_t x = picks.axes[1].at(points ? i : i % full[1]);
          model[y * kColumns + x] = numbers[i];
        }
        if (batches) {
          Batch batch;
          batch.cells = numbers.size();
          batch.columns = {column("a", TypeId::int32, numbers)};
          array->write(selection, batch, at(3));
        } else {
          write_values(*array, selection, numbers, 3);
        }
        EXPECT_EQ(all_of(*array), model);
        EXPECT_EQ(all_of(TiledbArray(store, {})), model);
      }
    }
  }
}

// A cell between those selected, which somebody else changes at the same time, keeps that value.
TEST(WriteRuns, CellsBetweenAreNotWritten) {
  const auto store = make_memory_store();
  const std::shared_ptr<Array> mine = make(store, line(false)),
                               theirs = std::make_shared<TiledbArray>(store, OpenOptions{});
  write_values(*theirs, parse_selection("[5]"), {77}, 4);
  write_values(*mine, parse_selection("[::2]"), std::vector<std::int32_t>(50, 1), 5);
  const std::vector<std::int32_t> found = all_of(TiledbArray(store, {}));
  EXPECT_EQ(found[4], 1);
  EXPECT_EQ(found[5], 77);
  EXPECT_EQ(found[7], INT32_MIN);
  EXPECT_EQ(tiledb_array(*mine).snapshot()->fragments({}).size(), 51u);
}

TEST(WriteRuns, AppearTogetherOrNotAtAll) {
  for (std::uint64_t stop = 0;; ++stop) {
    const auto inner = make_memory_store();
    make(inner, line(false));
    const auto plan = std::make_shared<FaultPlan>();
    plan->at = stop / 2;
    plan->done = stop % 2 == 1;
    bool whole = true;
    try {
      TiledbArray array(failing_store(inner, plan), {});
      write_values(array, parse_selection("[::30]"), {1, 2, 3, 4}, 5);
    } catch (const Error&) {
      whole = false;
    }
    const std::vector<std::int32_t> found = all_of(TiledbArray(inner, {}));
    const std::vector<std::int32_t> four{found[0], found[30], found[60], found[90]};
    EXPECT_TRUE(four == std::vector<std::int32_t>({1, 2, 3, 4}) || four == std::vector<std::int32_t>(4, INT32_MIN))
        << stop;
    if (whole) break;
    ASSERT_LT(stop, 1000u);
  }
}

TEST(WriteRuns, RefusesWhatWouldBeTooManyFragments) {
  const auto store = make_memory_store();
  const std::shared_ptr<Array> array = make(
      store, make_schema(false, {dimension("x", TypeId::int64, std::int64_t{0}, std::int64_t{9999}, std::int64_t{100})},
                         {attribute("a", TypeId::int32)}));
  EXPECT_ERROR(invalid_argument, "at most 1024",
               write_values(*array, parse_selection("[::2]"), std::vector<std::int32_t>(5000, 1), 5));
  EXPECT_TRUE(tiledb_array(*array).snapshot()->fragments({}).empty());
}

}  // namespace
}  // namespace tegula::tiledb
