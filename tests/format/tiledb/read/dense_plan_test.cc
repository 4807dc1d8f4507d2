// Which fragment supplies which cell, and what finding out costs.
#include "format/tiledb/read/dense_plan.h"

#include <gtest/gtest.h>

#include <random>

#include "format/tiledb/line_support.h"
#include "format/tiledb/read/array_contents.h"
#include "format/tiledb/reader_build.h"

namespace tegula::tiledb {
namespace {

using namespace writing;

struct Planned {
  explicit Planned(const std::shared_ptr<Store>& store)
      : contents(open_contents(store, {})),
        grid(make_grid(*contents.schema)),
        planner(contents.files, grid, contents.fragments) {}

  DensePlan cells(std::uint64_t first, std::uint64_t last) const {
    std::vector<AxisRuns> axes(1);
    add_run(axes[0], first, last);
    return planner.plan(axes, {});
  }

  ArrayContents contents;
  DenseGrid grid;
  DensePlanner planner;
};

// The fragment of each cell of a 1-d plan, -1 for holes. Every cell must be planned just once.
std::vector<int> owners(const DensePlan& plan) {
  std::vector<int> result(plan.cells(), -2);
  const auto put = [&](const Box& box, int owner) {
    for (std::uint64_t i = 0; i < box[0].count; ++i) {
      int& cell = result.at(box[0].out + i);
      EXPECT_EQ(cell, -2);
      cell = owner;
    }
  };
  for (const TileCopy& copy : plan.copies)
    for (const Box& box : copy.boxes) put(box, static_cast<int>(copy.fragment));
  for (const Box& hole : plan.holes) put(hole, -1);
  return result;
}

TEST(DensePlan, TakesCellsFromTheNewestFragment) {
  HandMadeArray made(99, 10);
  made.write(10, 0, std::vector<std::int32_t>(10, 1));
  made.write(20, 3, std::vector<std::int32_t>(3, 2));
  const Planned planned(made.store());
  const DensePlan plan = planned.cells(0, 11);
  EXPECT_EQ(owners(plan), (std::vector<int>{0, 0, 0, 1, 1, 1, 0, 0, 0, 0, -1, -1}));
  ASSERT_EQ(plan.copies.size(), 2u);  // a tile of a fragment is read once
  using Cells = std::vector<std::uint64_t>;
  EXPECT_EQ(planned.planner.sole_source(Cells{3}, Cells{5}), 1u);
  EXPECT_EQ(planned.planner.sole_source(Cells{6}, Cells{9}), 0u);
  EXPECT_EQ(planned.planner.sole_source(Cells{2}, Cells{3}), std::nullopt);
  EXPECT_EQ(planned.planner.sole_source(Cells{9}, Cells{10}), std::nullopt);
  EXPECT_TRUE(planned.planner.written(Cells{0}));
  EXPECT_FALSE(planned.planner.written(Cells{1}));
}

TEST(DensePlan, AgreesWithPaintingFragmentsOneByOne) {
  std::mt19937 random(3);
  for (const int fragments : {3, 20, 200}) {
    HandMadeArray made(99, 32);
    std::vector<int> expected(100, -1);
    for (int i = 0; i < fragments; ++i) {
      const std::size_t first = random() % 90, count = 1 + random() % 10;
      made.write(static_cast<std::uint64_t>(10 + i), static_cast<std::int64_t>(first),
                 std::vector<std::int32_t>(count, i));
      std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(first), count, i);
    }
    EXPECT_EQ(owners(Planned(made.store()).cells(0, 99)), expected);
  }
}

TEST(DensePlan, AgreesWithPaintingBoxesOneByOne) {
  std::mt19937 random(5);
  const Schema schema =
      make_schema(false,
                  {dimension("y", TypeId::int64, std::int64_t{0}, std::int64_t{39}, std::int64_t{20}),
                   dimension("x", TypeId::int64, std::int64_t{0}, std::int64_t{39}, std::int64_t{16})},
                  {attribute("a", TypeId::int32)});
  const std::shared_ptr<Array> array = make(make_memory_store(), schema);
  std::vector<std::int32_t> expected(1600, INT32_MIN);
  for (std::int32_t i = 0; i < 150; ++i) {
    const std::uint64_t y = random() % 30, x = random() % 30, height = 1 + random() % 10, width = 1 + random() % 10;
    Batch batch;
    batch.cells = height * width;
    batch.columns = {column("a", TypeId::int32, std::vector<std::int32_t>(batch.cells, i))};
    array->write(box_selection({{y, height}, {x, width}}), batch, at(10 + static_cast<std::uint64_t>(i)));
    for (std::uint64_t r = y; r < y + height; ++r)
      for (std::uint64_t c = x; c < x + width; ++c) expected[r * 40 + c] = i;
  }
  EXPECT_EQ(values<std::int32_t>(ask(*array, {}).columns[0]), expected);
  Query steps;
  steps.select = parse_selection("[::3, 38::-5]");
  std::vector<std::int32_t> some;
  for (std::size_t r = 0; r < 40; r += 3)
    for (int c = 38; c >= 0; c -= 5) some.push_back(expected[r * 40 + static_cast<std::size_t>(c)]);
  EXPECT_EQ(values<std::int32_t>(ask(*array, steps).columns[0]), some);
}

// One call per fragment on a tile ran out of stack.
TEST(DensePlan, AnyNumberOfFragmentsMayLieOnATile) {
  HandMadeArray made(9, 10);
  made.write(10, 2, {1});
  made.write(20, 5, {2});
  Planned planned(made.store());
  std::vector<std::shared_ptr<const Fragment>> many;
  for (int i = 0; i < 200000; ++i) many.push_back(planned.contents.fragments[static_cast<std::size_t>(i % 2)]);
  const DensePlanner planner(planned.contents.files, planned.grid, many);
  std::vector<AxisRuns> axes(1);
  add_run(axes[0], 0, 9);
  EXPECT_EQ(owners(planner.plan(axes, {})), (std::vector<int>{-1, -1, 199998, -1, -1, 199999, -1, -1, -1, -1}));
}

TEST(DensePlan, CostGrowsWithFragmentsAndTilesButNotTheirProduct) {
  const auto comparisons = [](std::int64_t fragments, bool on_one_tile) {
    std::mt19937 random(7);
    HandMadeArray made(1999, on_one_tile ? 2000 : 4);
    std::vector<std::int64_t> places;
    for (std::int64_t i = 0; i < fragments; ++i) places.push_back(4 * i);
    std::shuffle(places.begin(), places.end(), random);
    for (std::size_t i = 0; i < places.size(); ++i) made.write(10 + i, places[i], {1});
    return Planned(made.store()).cells(0, 1999).comparisons;
  };
  for (const bool on_one_tile : {false, true}) {
    const std::uint64_t once = comparisons(240, on_one_tile), twice = comparisons(480, on_one_tile);
    EXPECT_LT(twice, once * 5 / 2) << on_one_tile;
    EXPECT_LT(twice, 480u * 40) << on_one_tile;
  }
}

}  // namespace
}  // namespace tegula::tiledb
