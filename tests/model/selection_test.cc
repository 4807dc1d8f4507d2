#include "tegula/selection.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace tegula {
namespace {

using Indices = std::vector<std::uint64_t>;

Indices taken(const AxisPick& pick) {
  Indices out;
  for (std::uint64_t i = 0; i < pick.count; ++i) out.push_back(pick.at(i));
  return out;
}

TEST(Selection, OneAxisAsNumpy) {
  const struct {
    const char* text;
    Indices indices;
    bool dropped;
  } rows[] = {{"[:]", {0, 1, 2, 3, 4}, false},
              {"[...]", {0, 1, 2, 3, 4}, false},
              {"[()]", {0, 1, 2, 3, 4}, false},
              {"[2]", {2}, true},
              {"[-1]", {4}, true},
              {"[1:3]", {1, 2}, false},
              {"1:3", {1, 2}, false},
              {"[::2]", {0, 2, 4}, false},
              {"[::-1]", {4, 3, 2, 1, 0}, false},
              {"[-2:]", {3, 4}, false},
              {"[:-2]", {0, 1, 2}, false},
              {"[3:1]", {}, false},
              {"[10:20]", {}, false},
              {"[-10:2]", {0, 1}, false},
              {"[4:-10:-2]", {4, 2, 0}, false},
              {"[-10::-1]", {}, false},
              {"[10::-3]", {4, 1}, false},
              {"[ 1 : 4 : 2 ]", {1, 3}, false},
              {"[[3, 0, 3, -1]]", {3, 0, 3, 4}, false},
              {"[[]]", {}, false},
              {"[[True, False, True, False, False]]", {0, 2}, false},
              {"[::9223372036854775807]", {0}, false},
              {"[::-9223372036854775808]", {4}, false},
              {"[9223372036854775807:]", {}, false},
              {"[-9223372036854775808:9223372036854775807]", {0, 1, 2, 3, 4}, false}};
  for (const auto& row : rows) {
    const Picks picks = resolve(parse_selection(row.text), {5});
    ASSERT_EQ(picks.axes.size(), 1u);
    EXPECT_EQ(taken(picks.axes[0]), row.indices) << row.text;
    EXPECT_EQ(picks.axes[0].dropped, row.dropped) << row.text;
  }
}

TEST(Selection, LongestAxes) {
  const std::uint64_t n = UINT64_MAX;
  const struct {
    const char* text;
    Indices indices;
  } rows[] = {{"[0:3]", {0, 1, 2}},
              {"[-2:]", {n - 2, n - 1}},
              {"[-1:-3:-1]", {n - 1, n - 2}},
              {"[1::-1]", {1, 0}},
              {"[::9223372036854775807]", {0, n / 2, n - 1}},
              {"[[-1, 0]]", {n - 1, 0}}};
  for (const auto& row : rows)
    EXPECT_EQ(taken(resolve(parse_selection(row.text), {n}).axes[0]), row.indices) << row.text;
  EXPECT_EQ(resolve({}, {n}).cells(), n);
  EXPECT_EQ(resolve(parse_selection("[::-1]"), {n}).axes[0].at(0), n - 1);
  EXPECT_EQ(resolve(parse_selection("[-1]"), {n}).axes[0].at(0), n - 1);
}

TEST(Selection, SeveralAxes) {
  const struct {
    const char* text;
    std::vector<std::uint64_t> shape;
  } rows[] = {{"[1, 2:4, ::2]", {2, 3}},
              {"[..., 0]", {4, 5}},
              {"[0, ...]", {5, 6}},
              {"[0, ..., 1]", {5}},
              {"[..., :, :, :]", {4, 5, 6}},
              {"[[0, 1], :, [5]]", {2, 5, 1}},
              {"[]", {4, 5, 6}},
              {"[0, 0, 0]", {}},
              {"[1,]", {5, 6}}};
  for (const auto& row : rows) EXPECT_EQ(resolve(parse_selection(row.text), {4, 5, 6}).shape(), row.shape) << row.text;
}

TEST(Selection, Points) {
  Selection selection = parse_selection("[[0, 1, 3], [2, 2, 0]]");
  selection.points = true;
  const Picks picks = resolve(selection, {4, 5});
  EXPECT_EQ(picks.shape(), std::vector<std::uint64_t>{3});
  selection = parse_selection("[[0, 1, 3], [2]]");
  selection.points = true;
  EXPECT_ERROR(invalid_argument, "as many indices on every axis", resolve(selection, {4, 5}));
}

TEST(Selection, Refusals) {
  const struct {
    const char* text;
    const char* why;
  } bad[] = {{"[1", "expected ']'"},
             {"[1:2:0]", "step 0"},
             {"[a]", "character 2"},
             {"[1 2]", "expected ','"},
             {"[1]x", "expected the end"},
             {"[[1, True]]", "either indices or"},
             {"[99999999999999999999]", "too large"},
             {"[[1", "expected ','"},
             {"[,]", "expected an index"}};
  for (const auto& row : bad) EXPECT_ERROR(invalid_argument, row.why, parse_selection(row.text));
  EXPECT_ERROR(invalid_argument, "index 5 is out of bounds for axis 0 with size 5",
               resolve(parse_selection("[5]"), {5}));
  EXPECT_ERROR(invalid_argument, "out of bounds", resolve(parse_selection("[[0, -6]]"), {5}));
  EXPECT_ERROR(invalid_argument, "too many indices", resolve(parse_selection("[1, 1]"), {5}));
  EXPECT_ERROR(invalid_argument, "only one '...'", resolve(parse_selection("[..., ...]"), {5}));
  EXPECT_ERROR(invalid_argument, "the mask for axis 0 has 1 entries", resolve(parse_selection("[[True]]"), {5}));
}

TEST(Selection, CellsDoNotOverflow) {
  const std::uint64_t big = 1ull << 62;
  EXPECT_ERROR(invalid_argument, "more than 2^64", resolve({}, {big, big}).cells());
}

}  // namespace
}  // namespace tegula
