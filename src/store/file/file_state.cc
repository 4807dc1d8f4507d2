#include "store/file/file_state.h"

#include <fcntl.h>
#include <sys/file.h>

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

FolderLock::FolderLock(const RootFolder& root, std::string_view folder)
    : folder_(root.open(folder, O_RDONLY | O_DIRECTORY)) {
  if (!folder_) fail_system(errno, "locking", root.path_of(folder));
  // Asked again and again in place of waiting in the system, so that a cancellation ends it.
  for (auto pause = std::chrono::microseconds(100);;
       pause = std::min<std::chrono::microseconds>(2 * pause, std::chrono::milliseconds(10))) {
    if (::flock(folder_.get(), LOCK_EX | LOCK_NB) == 0 || (errno != EWOULDBLOCK && errno != EINTR)) return;
    CurrentWork::check();
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace tegula
