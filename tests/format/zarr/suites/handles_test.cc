// Several handles of one array, used from several threads.
#include <algorithm>
#include <thread>

#include "format/zarr/numbers_array.h"

namespace tegula::testing {
namespace {

class EveryVersion : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Zarr, EveryVersion, ::testing::Values("zarr0", "zarr1", "zarr2", "zarr3"));

TEST_P(EveryVersion, OverlappingWritesThroughSeveralHandlesLoseNothing) {
  // Every handle owns the cells of its number modulo 4, so all chunks are written through all handles.
  const auto store = make_memory_store();
  create({GetParam(), {64, 6}, {5, 4}, {}}, store);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const auto array = reopen(store);
      Selection selection;
      selection.axes.emplace_back(Slice{t, std::nullopt, 4});
      for (int round = 0; round < 5; ++round)
        write(*array, selection, std::vector<std::int32_t>(16 * 6, 10 * round + t));
    });
  for (std::thread& thread : threads) thread.join();
  const auto cells = read(*reopen(store), "[...]");
  for (std::size_t i = 0; i < cells.size(); ++i) ASSERT_EQ(cells[i], 40 + static_cast<std::int32_t>(i / 6 % 4)) << i;
}

TEST_P(EveryVersion, AppendsThroughSeveralHandlesAllArrive) {
  const auto store = make_memory_store();
  create({GetParam(), {0}, {3}, {}}, store);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const auto array = reopen(store);
      for (int round = 0; round < 5; ++round) {
        const std::vector<std::int32_t> values{t, t};
        Batch batch;
        Column column;
        column.type = Datatype(TypeId::int32);
        column.data = copy_of(std::as_bytes(std::span(values)));
        batch.cells = values.size();
        batch.columns.push_back(std::move(column));
        array->append(batch);
      }
    });
  for (std::thread& thread : threads) thread.join();
  auto cells = read(*reopen(store), "[...]");
  std::sort(cells.begin(), cells.end());
  std::vector<std::int32_t> expected;
  for (int t = 0; t < 4; ++t) expected.insert(expected.end(), 10, t);
  EXPECT_EQ(cells, expected);
}

}  // namespace
}  // namespace tegula::testing
