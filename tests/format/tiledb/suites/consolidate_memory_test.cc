// Merging much more than the budget holds.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdio>

#include "format/tiledb/maintain_support.h"
#include "store/open/open_store.h"
#include "support/sanitized.h"
#include "support/temp_folder.h"

namespace tegula::tiledb {
namespace {

using namespace writing;

std::uint64_t peak_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

constexpr std::uint64_t kFragments = 100, kCells = 1000, kText = 1000;

Batch some_cells(std::uint64_t fragment) {
  Batch batch;
  batch.cells = kCells;
  Column x, s;
  x.name = "x";
  x.type = TypeId::int64;
  s.name = "s";
  s.type = TypeId::ascii;
  s.values_per_cell = kVar;
  s.offsets.push_back(0);
  for (std::uint64_t i = 0; i < kCells; ++i) {
    ByteWriter(x.data).put(static_cast<std::int64_t>(i * kFragments + fragment));
    s.data.insert(s.data.end(), kText, std::byte{static_cast<unsigned char>('a' + i % 26)});
    s.offsets.push_back(s.data.size());
  }
  batch.columns = {x, s};
  return batch;
}

// Merges 100 MB under a budget of 16 MB; whether that took no more.
bool merges_within_budget() {
  Schema schema =
      make_schema(true, {dimension("x", TypeId::int64, std::int64_t{0}, std::int64_t{1} << 40, std::int64_t{1} << 20)},
                  {attribute("s", TypeId::ascii, kVar)});
  schema.capacity = 100;
  const testing::TempFolder folder;
  StoreOptions quick;
  quick.sync = false;
  const std::shared_ptr<Array> array = create_array(open_store(folder / "array", quick), schema, {});
  for (std::uint64_t f = 0; f < kFragments; ++f) array->write(some_cells(f), at(10 + f));
  ConsolidateOptions options;
  options.work.memory = 16 << 20;
  options.work.threads = 2;
  const std::uint64_t before = peak_bytes();
  const std::vector<Consolidation> done = consolidate(*array, options);
  const std::uint64_t more = peak_bytes() - before;
  std::fprintf(stderr, "%llu bytes more\n", static_cast<unsigned long long>(more));
  return done.size() == 1 && done[0].cells == kFragments * kCells && more <= options.work.memory;
}

// In a process of its own, since its peak counts.
[[noreturn]] void merge_and_exit() { std::_Exit(merges_within_budget() ? 0 : 1); }

TEST(ConsolidateMemory, FollowsTheBudgetNotTheFragments) {
  if (testing::kSanitized) GTEST_SKIP() << "sanitizers keep what is freed";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(merge_and_exit(), ::testing::ExitedWithCode(0), "bytes more");
}

}  // namespace
}  // namespace tegula::tiledb
