#include "model/chunk_plan.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <set>

#include "model/strided.h"

namespace tegula {
namespace {

using Shape = std::vector<std::uint64_t>;

std::vector<std::int32_t> numbered(std::uint64_t n) {
  std::vector<std::int32_t> out(n);
  std::iota(out.begin(), out.end(), 1);
  return out;
}

// The cells of a selection, found the slow way.
std::vector<std::uint64_t> cells_of(const Picks& picks, const Shape& shape) {
  std::vector<std::uint64_t> out;
  if (picks.points) {
    for (std::uint64_t i = 0; i < picks.cells(); ++i) {
      std::uint64_t at = 0;
      for (std::size_t a = 0; a < shape.size(); ++a) at = at * shape[a] + picks.axes[a].at(i);
      out.push_back(at);
    }
    return out;
  }
  for (std::uint64_t i = 0; i < picks.cells(); ++i) {
    std::uint64_t rest = i, at = 0, scale = 1;
    for (std::size_t a = shape.size(); a-- > 0;) {
      at += picks.axes[a].at(rest % picks.axes[a].count) * scale;
      rest /= picks.axes[a].count;
      scale *= shape[a];
    }
    out.push_back(at);
  }
  return out;
}

// A chunk cut out of an array, padded with -1 at the edges.
std::vector<std::int32_t> cut(const std::vector<std::int32_t>& array, const Shape& shape, const Shape& chunk,
                              const Shape& at) {
  std::vector<std::int32_t> out(cell_count(chunk), -1);
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::uint64_t rest = i, index = 0, scale = 1;
    bool inside = true;
    for (std::size_t a = shape.size(); a-- > 0;) {
      const std::uint64_t x = at[a] * chunk[a] + rest % chunk[a];
      rest /= chunk[a];
      inside &= x < shape[a];
      index += x * scale;
      scale *= shape[a];
    }
    if (inside) out[i] = array[index];
  }
  return out;
}

Selection random_selection(const Shape& shape, std::mt19937& random) {
  auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n)); };
  Selection selection;
  for (const std::uint64_t extent : shape) {
    const auto n = static_cast<std::int64_t>(extent);
    switch (n ? below(5) : 0) {
      case 0:
        selection.axes.emplace_back(Slice{});
        break;
      case 1:
        selection.axes.emplace_back(below(n) - (below(2) ? n : 0));
        break;
      case 2:
        selection.axes.emplace_back(Slice{below(2 * n) - n, below(2 * n) - n, 1 + below(4)});
        break;
      case 3:
        selection.axes.emplace_back(Slice{below(2 * n) - n, below(2 * n) - n, -1 - below(4)});
        break;
      default: {
        IndexList list;
        for (std::int64_t i = below(6); i >= 0; --i) list.push_back(below(n));
        selection.axes.emplace_back(list);
      }
    }
  }
  return selection;
}

void check(const Selection& selection, const Shape& shape, const Shape& chunk) {
  const std::vector<std::int32_t> array = numbered(cell_count(shape));
  const Picks picks = resolve(selection, shape);
  const ChunkPlan plan(picks, shape, chunk);
  const std::vector<std::uint64_t> expected = cells_of(picks, shape);
  const Shape result_shape = picks.shape();
  std::vector<std::int32_t> result(expected.size(), -7);
  const std::vector<std::int64_t> strides = contiguous_strides(chunk, 4);
  const StridedBuffer out{reinterpret_cast<std::byte*>(result.data()), result_shape,
                          contiguous_strides(result_shape, 4)};
  std::set<Shape> seen;
  for (std::size_t i = 0; i < plan.pieces(); ++i) {
    const Shape at = plan.chunk(i);
    EXPECT_TRUE(seen.insert(at).second) << "a chunk came twice";
    std::vector<std::int32_t> data = cut(array, shape, chunk, at);
    plan.gather(i, reinterpret_cast<const std::byte*>(data.data()), strides, out, 4);
    const auto [low, high] = plan.extent(i);
    ASSERT_LT(low, high);
    ASSERT_LE(high, data.size());
    // Only cells inside the extent may be read: the result is the same when the others are overwritten.
    std::vector<std::int32_t> spoiled = data;
    std::fill(spoiled.begin(), spoiled.begin() + static_cast<std::ptrdiff_t>(low), -9);
    std::fill(spoiled.begin() + static_cast<std::ptrdiff_t>(high), spoiled.end(), -9);
    plan.gather(i, reinterpret_cast<const std::byte*>(spoiled.data()), strides, out, 4);

    // Scatter zeros: a whole piece leaves no old value inside the array.
    const std::vector<std::int32_t> zeros(result.size(), 0);
    const StridedView in{reinterpret_cast<const std::byte*>(zeros.data()), result_shape,
                         contiguous_strides(result_shape, 4)};
    plan.scatter(i, reinterpret_cast<std::byte*>(data.data()), strides, in, 4);
    const bool all = std::none_of(data.begin(), data.end(), [](std::int32_t v) { return v > 0; });
    EXPECT_TRUE(all || !plan.whole(i));
    for (const std::int32_t v : data) EXPECT_TRUE(v >= -1);
  }
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(result[i], array[expected[i]]) << i;

  const std::int32_t fill = 42;
  for (std::size_t i = 0; i < plan.pieces(); ++i) plan.fill(i, out, std::as_bytes(std::span(&fill, 1)));
  EXPECT_TRUE(std::all_of(result.begin(), result.end(), [](std::int32_t v) { return v == 42; }));
}

TEST(ChunkPlan, RandomSelectionsAgreeWithTheSlowWay) {
  std::mt19937 random(7);
  const std::pair<Shape, Shape> grids[] = {
      {{10}, {3}},     {{7, 5}, {2, 5}}, {{7, 5}, {8, 8}}, {{4, 3, 6}, {2, 2, 4}}, {{2, 3, 2, 3}, {1, 2, 2, 2}},
      {{0, 4}, {2, 2}}};
  for (const auto& [shape, chunk] : grids)
    for (int round = 0; round < 200; ++round) {
      SCOPED_TRACE(::testing::Message() << shape.size() << "-d, round " << round);
      check(random_selection(shape, random), shape, chunk);
      if (::testing::Test::HasFailure()) return;
    }
}

TEST(ChunkPlan, Points) {
  Selection selection;
  selection.axes = {IndexList{6, 0, 6, 3, -1}, IndexList{4, 0, 4, 1, 2}};
  selection.points = true;
  check(selection, {7, 5}, {2, 3});
}

TEST(ChunkPlan, ZeroDimensions) {
  check({}, {}, {});
  check(parse_selection("[...]"), {}, {});
}

TEST(ChunkPlan, WholeChunksAreKnown) {
  const Shape shape = {5, 4}, chunk = {2, 4};
  const ChunkPlan plan(resolve(parse_selection("[1:5]"), shape), shape, chunk);
  ASSERT_EQ(plan.pieces(), 3u);
  EXPECT_FALSE(plan.whole(0));
  EXPECT_TRUE(plan.whole(1));
  EXPECT_TRUE(plan.whole(2)) << "the edge chunk has one row inside the array";
}

}  // namespace
}  // namespace tegula
