// Which fragments a consolidation merges.
#include "format/tiledb/maintain/merge_plan.h"

#include <gtest/gtest.h>

#include "format/tiledb/line_support.h"
#include "support/expect_error.h"

namespace tegula::tiledb {
namespace {

using namespace writing;

// Fragments of a = 1 at first .. first + count, one after the other in time.
ArrayContents contents_of(bool sparse, const std::vector<std::pair<std::int64_t, std::int32_t>>& fragments) {
  const std::shared_ptr<Store> store = make_memory_store();
  const std::shared_ptr<Array> array = make(store, line(sparse));
  std::uint64_t time = 10;
  for (const auto& [first, count] : fragments) {
    Batch batch = cells(first, count);
    if (sparse) {
      array->write(batch, at(time++));
      continue;
    }
    batch.columns.erase(batch.columns.begin());  // x
    array->write(box_selection({{static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(count)}}), batch,
                 at(time++));
  }
  return open_contents(store, {});
}

// The merged fragments by number, oldest first.
std::vector<std::vector<std::size_t>> merged(const ArrayContents& contents,
                                             const std::vector<std::size_t>& named = {}) {
  ConsolidateOptions options;
  for (const std::size_t i : named) options.fragments.push_back(contents.entries[i].name);
  std::vector<std::vector<std::size_t>> result;
  for (const Merge& merge : plan_merges(contents, options).merges) {
    std::vector<std::size_t>& set = result.emplace_back();
    for (const FragmentEntry& input : merge.inputs)
      for (std::size_t i = 0; i < contents.entries.size(); ++i)
        if (contents.entries[i].name == input.name) set.push_back(i);
    EXPECT_EQ(merge.inputs.size(), merge.fragments.size());
    EXPECT_EQ(merge.inputs.size(), merge.what.inputs.size());
  }
  return result;
}

using Sets = std::vector<std::vector<std::size_t>>;

TEST(MergePlan, TakesAllFragmentsThatFitTogether) {
  EXPECT_EQ(merged(contents_of(true, {{0, 5}, {90, 5}, {3, 5}})), (Sets{{0, 1, 2}}));
  EXPECT_EQ(merged(contents_of(false, {{0, 10}, {10, 10}, {5, 10}})), (Sets{{0, 1, 2}}));
}

TEST(MergePlan, LeavesASingleFragmentAlone) {
  EXPECT_EQ(merged(contents_of(true, {{0, 5}})), Sets{});
  EXPECT_EQ(merged(contents_of(true, {})), Sets{});
}

TEST(MergePlan, DoesNotFillTheSpaceBetweenDistantDenseFragments) {
  EXPECT_EQ(merged(contents_of(false, {{0, 10}, {90, 10}})), Sets{});
  EXPECT_EQ(merged(contents_of(false, {{0, 10}, {10, 10}, {90, 10}})), (Sets{{0, 1}}));
}

TEST(MergePlan, RefusesNamedFragmentsThatWouldChangeWhatReadersSee) {
  const ArrayContents contents = contents_of(false, {{0, 10}, {5, 10}, {0, 10}, {40, 10}});
  EXPECT_EQ(merged(contents, {0, 1}), (Sets{{0, 1}}));
  EXPECT_ERROR(invalid_argument, contents.entries[1].name, merged(contents, {0, 2}));
  EXPECT_ERROR(invalid_argument, contents.entries[0].name, merged(contents, {1, 2}));
  ConsolidateOptions unknown;
  unknown.fragments = {"__1_1_x_22"};
  EXPECT_ERROR(invalid_argument, "no fragment '__1_1_x_22'", plan_merges(contents, unknown));
}

}  // namespace
}  // namespace tegula::tiledb
