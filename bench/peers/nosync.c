// Preloaded where neither side is to wait for the disk: syncing succeeds at once.
#include <sys/types.h>
int fsync(int fd) { (void)fd; return 0; }
int fdatasync(int fd) { (void)fd; return 0; }
int syncfs(int fd) { (void)fd; return 0; }
int sync_file_range(int fd, off_t offset, off_t count, unsigned flags) {
  (void)fd, (void)offset, (void)count, (void)flags;
  return 0;
}
void sync(void) {}
