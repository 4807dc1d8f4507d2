// Telling whether a file has changed, and keeping it from changing.
#pragma once

#include <sys/stat.h>

#include <string>
#include <string_view>

#include "store/file/descriptor.h"
#include "store/file/root_folder.h"
#include "tegula/bytes.h"

namespace tegula {

// Another text after any change of the file's inode, size or times.
std::string state_of(const struct stat& status);
// Of its contents as well: times are too coarse to tell apart two changes in quick succession, and inodes are used
// again.
std::string state_of(const struct stat& status, ByteView contents);

// The last change is old enough that a later one has another time: file systems count time in ticks.
bool is_settled(const struct stat& status);

// While it lives, no other thread and no other process holds one for the same folder. On file systems that cannot lock
// a folder (NFS, CIFS) the lock is on a file named kLockFile in the root folder, which stays there; on those without
// any locks it holds off nobody. It waits, but not after a cancellation.
class FolderLock {
 public:
  FolderLock(const RootFolder& root, std::string_view folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  // False when the file system has no such lock.
  bool lock();

  Descriptor locked_;
};

inline constexpr std::string_view kLockFile = ".tegula-lock";

}  // namespace tegula
