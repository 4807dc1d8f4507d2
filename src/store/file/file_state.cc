#include "store/file/file_state.h"

#include <fcntl.h>
#include <sys/file.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

#include "base/current_work.h"
#include "base/fail.h"

namespace tegula {

std::string state_of(const struct stat& status) {
  return fmt::format("{:x}-{:x}-{:x}.{:x}", status.st_ino, status.st_size, status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec);
}

std::string state_of(const struct stat& status, ByteView contents) {
  return fmt::format("{}-{:x}", state_of(status), std::hash<std::string_view>()(text_of(contents)));
}

bool is_settled(const struct stat& status) {
  using namespace std::chrono;
  struct timespec now;
  if (::clock_gettime(CLOCK_REALTIME, &now) != 0) return false;
  const auto since = seconds(now.tv_sec - status.st_mtim.tv_sec) + nanoseconds(now.tv_nsec - status.st_mtim.tv_nsec);
  // Ticks are 1 to 10 ms; file systems that keep whole seconds have ticks of up to 2 s.
  return since > (status.st_mtim.tv_nsec == 0 ? nanoseconds(seconds(3)) : milliseconds(30));
}

FolderLock::FolderLock(const RootFolder& root, std::string_view folder)
    : locked_(root.open(folder, O_RDONLY | O_DIRECTORY)) {
  if (!locked_) fail_system(errno, "locking", root.path_of(folder));
  if (lock()) return;
  locked_ = root.open_or_create(kLockFile, O_RDWR);
  lock();
}

FolderLock::~FolderLock() {
  // Closing is not enough: a child that was forked meanwhile has a copy of the descriptor, and the lock with it.
  ::flock(locked_.get(), LOCK_UN);
}

bool FolderLock::lock() {
  // Asked again and again in place of waiting in the system, so that a cancellation ends it.
  for (auto pause = std::chrono::microseconds(100);;
       pause = std::min<std::chrono::microseconds>(2 * pause, std::chrono::milliseconds(10))) {
    if (::flock(locked_.get(), LOCK_EX | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK && errno != EINTR) return false;
    CurrentWork::check();
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace tegula
