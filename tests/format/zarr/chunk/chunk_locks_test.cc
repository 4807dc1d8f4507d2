#include "format/zarr/chunk/chunk_locks.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <mutex>
#include <thread>

#include "store/memory/memory_store.h"
#include "store/open/open_store.h"
#include "support/temp_folder.h"

namespace tegula::testing {
namespace {

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
