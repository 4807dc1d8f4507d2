// What several handles of one array, and the children of a process, may count on.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <thread>

#include "format/zarr/chunk/chunk_locks.h"
#include "numbers_array.h"
#include "store/open/open_store.h"
#include "support/temp_folder.h"

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

TEST(ChunkLocks, BelongToTheFolderWhateverItsPath) {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "a");
  std::filesystem::create_directory(folder / "b");
  std::filesystem::create_directory_symlink(folder / "a", folder / "link");
  const auto locks = [&](const char* name) { return zarr::ChunkLocks(*open_store(folder / name)); };
  int same = 0;
  for (std::uint64_t i = 0; i < 20; ++i) {
    EXPECT_EQ(locks("a").number({i, 3}), locks("link").number({i, 3}));
    EXPECT_EQ(locks("a").number({i, 3}), locks("b/../a").number({i, 3}));
    same += locks("a").number({i, 3}) == locks("b").number({i, 3});
  }
  EXPECT_LT(same, 10);
}

TEST(ChunkLocks, ChildrenDoNotInheritWhatIsHeld) {
  const zarr::ChunkLocks locks(*make_memory_store());
  const std::unique_lock held(locks.of({0}));
  const pid_t child = ::fork();
  if (child == 0) ::_exit(locks.of({0}).try_lock() ? 0 : 1);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  std::thread([&] { EXPECT_FALSE(locks.of({0}).try_lock()); }).join();
}

}  // namespace
}  // namespace tegula::testing
