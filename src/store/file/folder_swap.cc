#include "store/file/folder_swap.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "base/current_work.h"
#include "base/fail.h"
#include "store/file/descriptor.h"
#include "store/file/file_store.h"
#include "store/file/root_folder.h"

namespace tegula {

namespace {

namespace fs = std::filesystem;

// Where the new folder waits, or the old one until it is removed.
struct Places {
  std::string path;  // the folder's own, without links
  std::string around, work, fresh, old, lock;
};

Places places_of(const std::string& given) {
  std::error_code error;
  fs::path real = fs::weakly_canonical(fs::absolute(given, error), error);
  if (error) fail(ErrorKind::io, "'{}': {}", given, error.message());
  if (real.filename().empty()) real = real.parent_path();
  const std::string name = real.filename().string();
  if (name.empty()) fail(ErrorKind::invalid_argument, "'{}' cannot be replaced", given);
  Places out;
  out.path = real.string();
  out.around = real.parent_path().string();
  out.work = (real.parent_path() / fmt::format("{}replace-{}", kTemporaryPrefix, name)).string();
  out.fresh = out.work + "/new";
  out.old = out.work + "/old";
  out.lock = out.work + "/lock";
  return out;
}

bool there(const std::string& path) {
  struct stat status;
  if (::lstat(path.c_str(), &status) == 0) return true;
  if (errno == ENOENT || errno == ENOTDIR) return false;
  fail_system(errno, "looking at", path);
}

// The lock of a folder that is being replaced. Its file goes with the last replacement, so that whoever gets the lock
// looks whether the file still has its name.
class SwapLock {
 public:
  explicit SwapLock(const Places& places, bool wait = false) {
    for (;;) {
      if (::mkdir(places.work.c_str(), 0777) != 0 && errno != EEXIST)
        fail_system(errno, "making a folder to replace it from,", places.work);
      file_ = Descriptor(
          retry([&] { return ::open(places.lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666); }));
      if (!file_ && errno == ENOENT) continue;
      if (!file_) fail_system(errno, "locking", places.lock);
      // File systems without locks hold off nobody.
      if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        if (!wait) fail(ErrorKind::io, "'{}' is being overwritten by somebody else", places.path);
        CurrentWork::check();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        continue;
      }
      struct stat mine, named;
      if (::fstat(file_.get(), &mine) == 0 && ::stat(places.lock.c_str(), &named) == 0 && mine.st_ino == named.st_ino)
        return;
    }
  }
  // Closing is not enough: a child that was forked meanwhile has the descriptor, too.
  ~SwapLock() { ::flock(file_.get(), LOCK_UN); }
  SwapLock(const SwapLock&) = delete;
  SwapLock& operator=(const SwapLock&) = delete;

 private:
  Descriptor file_;
};

void sync(const std::string& folder, const StoreOptions& options) {
  if (!options.sync) return;
  if (options.before_step) options.before_step("sync folder", folder);
  const Descriptor file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!file) fail_system(errno, "syncing folder", folder);
  if (retry([&] { return ::fsync(file.get()); }) != 0 && errno != EINVAL) fail_system(errno, "syncing folder", folder);
}

void rename(const std::string& from, const std::string& to, const StoreOptions& options) {
  if (options.before_step) options.before_step("rename", to);
  if (::rename(from.c_str(), to.c_str()) != 0) fail_system(errno, "renaming to", to);
}

// The lock file goes while it is locked, and the folder when nothing else is in it.
void leave(const Places& places) noexcept {
  ::unlink(places.lock.c_str());
  ::rmdir(places.work.c_str());
}

class FolderSwap final : public Replacement {
 public:
  FolderSwap(Places places, const StoreOptions& options)
      : places_(std::move(places)),
        options_(options),
        lock_(std::make_unique<SwapLock>(places_)),
        store_(open_file_store(places_.fresh, options)) {
    // What a removal that was stopped left of an older state.
    remove(places_.old);
  }

  const std::shared_ptr<Store>& store() const override { return store_; }
  void clear() override { remove(places_.fresh); }

  void take_place(const Work&) override {
    placing_ = true;
    struct stat status;
    if (::stat(places_.path.c_str(), &status) == 0) ::chmod(places_.fresh.c_str(), status.st_mode & 07777);
    sync(places_.fresh, options_);
    sync(places_.work, options_);
    const std::string old = swap();
    sync(places_.around, options_);
    sync(places_.work, options_);
    // The new folder has its name: what cannot be removed now, the next replacement removes.
    if (options_.before_step) options_.before_step("remove", old);
    std::error_code kept;
    fs::remove_all(old, kept);
    leave(places_);
  }

  void discard() noexcept override {
    if (placing_) return;
    std::error_code kept;
    fs::remove_all(places_.fresh, kept);
    leave(places_);
  }

 private:
  // Returns where the old folder is then.
  std::string swap() const {
    if (options_.before_step) options_.before_step("exchange", places_.path);
    if (options_.exchanges) {
      if (::renameat2(AT_FDCWD, places_.fresh.c_str(), AT_FDCWD, places_.path.c_str(), RENAME_EXCHANGE) == 0)
        return places_.fresh;
      if (errno != EINVAL && errno != ENOSYS && errno != ENOENT) fail_system(errno, "replacing", places_.path);
    }
    if (there(places_.path)) rename(places_.path, places_.old, options_);
    rename(places_.fresh, places_.path, options_);
    return places_.old;
  }

  void remove(const std::string& folder) const {
    std::error_code error;
    fs::remove_all(folder, error);
    if (error) fail(ErrorKind::io, "removing '{}': {}", folder, error.message());
  }

  const Places places_;
  const StoreOptions options_;
  const std::unique_ptr<SwapLock> lock_;
  const std::shared_ptr<Store> store_;
  bool placing_ = false;
};

}  // namespace

std::unique_ptr<Replacement> swap_folder(const std::string& path, const StoreOptions& options) {
  Places places = places_of(path);
  std::error_code unknown;
  const fs::path current = fs::current_path(unknown);
  for (fs::path at = current; !unknown && at.has_relative_path(); at = at.parent_path())
    if (at == places.path)
      fail(ErrorKind::invalid_argument,
           "'{}' is the current folder, or around it, and cannot be replaced from inside; start from elsewhere",
           places.path);
  return std::make_unique<FolderSwap>(std::move(places), options);
}

bool finish_swap(const std::string& path, const StoreOptions& options) {
  if (there(path)) return false;
  const Places places = places_of(path);
  const auto stopped = [&] { return !there(places.path) && there(places.old) && there(places.fresh); };
  if (!stopped()) return false;
  const SwapLock lock(places, true);
  if (stopped()) {
    rename(places.fresh, places.path, options);
    sync(places.around, options);
  }
  leave(places);
  return there(places.path);
}

}  // namespace tegula
