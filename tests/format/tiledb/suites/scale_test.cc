// How the work grows with the number of fragments and fields, counted in requests and comparisons.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <random>

#include "format/tiledb/line_support.h"
#include "format/tiledb/maintain/merge_plan.h"
#include "store/file/file_store.h"
#include "store/wrap/counting_store.h"
#include "support/temp_folder.h"

namespace tegula::tiledb {
namespace {

using namespace writing;

Schema wide_line(bool sparse, std::int64_t cells) {
  return make_schema(sparse, {dimension("x", TypeId::int64, std::int64_t{0}, cells - 1, std::int64_t{10})},
                     {attribute("a", TypeId::int32)});
}

void write_cell(Array& array, std::int64_t x, std::uint64_t time) {
  Batch batch = cells(x, 1);
  if (array.schema().sparse) {
    array.write(batch, at(time));
    return;
  }
  batch.columns.erase(batch.columns.begin());
  array.write(Selection{{Slice{x, x + 1}}}, batch, at(time));
}

// A handle that writes one cell more and reads it asks for the new fragment and the listing, not for those it knows.
TEST(Scale, AWriteDoesNotOpenTheFragmentsBeforeItAgain) {
  for (const bool sparse : {false, true}) {
    std::vector<std::uint64_t> reads;
    for (const std::int64_t n : {20, 40, 80}) {
      const auto counts = std::make_shared<StoreCounts>();
      const std::shared_ptr<Array> array = make(counting_store(make_memory_store(), counts), wide_line(sparse, 1000));
      std::uint64_t time = 10;
      for (std::int64_t i = 0; i < n; ++i) write_cell(*array, 10 * i, time++);
      Query query;
      query.ranges = {{"x", {{std::int64_t{990}, std::int64_t{999}}}}};
      ask(*array, query);
      const std::uint64_t before = counts->reads;
      write_cell(*array, 995, time++);
      const Batch found = ask(*array, query);
      EXPECT_EQ(values<std::int32_t>(*found.column("a"))[sparse ? 0 : 5], 995);
      reads.push_back(counts->reads - before);
    }
    EXPECT_EQ(reads[0], reads[1]) << sparse;
    EXPECT_EQ(reads[1], reads[2]) << sparse;
  }
}

// Fragments in any order, too far apart to be merged: each is compared with few others.
TEST(Scale, PlanningMergesOfScatteredFragments) {
  std::vector<double> each;
  for (const std::int64_t n : {100, 200, 400}) {
    const auto store = make_memory_store();
    const std::shared_ptr<Array> array = make(store, wide_line(false, 100 * n));
    std::vector<std::int64_t> places(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) places[static_cast<std::size_t>(i)] = 100 * i;
    std::ranges::shuffle(places, std::mt19937(7));                  // NOLINT: the same every time
    for (const std::int64_t x : places) write_cell(*array, x, 10);  // all of one time
    const MergePlan plan = plan_merges(open_contents(store, {}), {});
    EXPECT_TRUE(plan.merges.empty());
    each.push_back(static_cast<double>(plan.comparisons) / static_cast<double>(n));
  }
  EXPECT_LT(each[2], 60);
  EXPECT_LT(each[2], each[0] + 20) << "more than n log n";
}

// A process may have few descriptors, and a fragment has a file for each field.
TEST(Scale, ManyFieldsNeedFewDescriptors) {
  const testing::TempFolder folder;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const rlimit few{100, 100};
    ::setrlimit(RLIMIT_NOFILE, &few);
    try {
      std::vector<Attribute> attributes;
      for (int i = 0; i < 300; ++i) attributes.push_back(attribute("a" + std::to_string(i), TypeId::int32, 1, true));
      const std::shared_ptr<Array> array =
          make(open_file_store(folder / "array", {.sync = false}), line(false, std::move(attributes)));
      Batch batch;
      batch.cells = 100;
      for (int i = 0; i < 300; ++i) {
        Column values = column("a" + std::to_string(i), TypeId::int32, std::vector<std::int32_t>(100, i));
        values.nullable = true;
        values.validity.assign(100, std::byte{1});
        batch.columns.push_back(std::move(values));
      }
      array->write(Selection{}, batch, at(2));
      Query query;
      query.fields = {"a299"};
      ::_exit(values<std::int32_t>(ask(*array, query).columns[0]) == std::vector<std::int32_t>(100, 299) ? 0 : 2);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      ::_exit(1);
    }
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace tegula::tiledb
