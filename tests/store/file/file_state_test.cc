#include "store/file/file_state.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <optional>

#include "base/current_work.h"
#include "support/expect_error.h"
#include "support/temp_folder.h"

namespace tegula {
namespace {

// With a cancelled work, a lock that is not free at once throws in place of waiting.
class Impatient {
 public:
  Impatient() { cancel_.request(); }

 private:
  Cancel cancel_;
  Work work_{.cancel = &cancel_};
  CurrentWork current_{work_};
};

TEST(FolderLock, HoldsOffOthersUntilItIsDestroyed) {
  const testing::TempFolder folder;
  const RootFolder root(folder.path(), {});
  root.make_folders("a");
  root.make_folders("b");
  const Impatient impatient;
  std::optional<FolderLock> first(std::in_place, root, "a");
  EXPECT_ERROR(cancelled, "", FolderLock(root, "a"));
  {
    const FolderLock other(root, "b");
  }
  first.reset();
  const FolderLock again(root, "a");
}

TEST(FolderLock, IsReleasedThoughAForkedChildHasACopy) {
  const testing::TempFolder folder;
  const RootFolder root(folder.path(), {});
  root.make_folders("");
  const Impatient impatient;
  std::optional<FolderLock> lock(std::in_place, root, "");
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  lock.reset();
  EXPECT_NO_THROW(FolderLock(root, ""));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST(FileState, ChangesWithContentsAlone) {
  struct stat status{};
  EXPECT_NE(state_of(status, bytes_of("one")), state_of(status, bytes_of("two")));
  EXPECT_EQ(state_of(status, bytes_of("one")), state_of(status, bytes_of("one")));
  const std::string before = state_of(status);
  status.st_mtim.tv_nsec = 1;
  EXPECT_NE(state_of(status), before);
}

}  // namespace
}  // namespace tegula
