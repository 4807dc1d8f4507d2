// The folder that holds an array, and everything that changes names in it.
#pragma once

#include <atomic>
#include <string>
#include <string_view>

#include "store/file/descriptor.h"
#include "store/store.h"

namespace tegula {

// Every call opens the folder anew and works below that descriptor, so that no link leads a read, a write or a removal
// out of the folder (unless options.follow_links is set). No descriptor is kept: the folder need not exist yet, may be
// replaced while a handle is open, and thousands of open arrays cost none. Keys are as in Store; the empty key is the
// folder itself. Immutable but for a counter, hence thread-safe and unaffected by fork().
class RootFolder {
 public:
  RootFolder(std::string path, const StoreOptions& options) : path_(std::move(path)), options_(options) {}

  // Opens a file or folder; none, with errno set, when that fails.
  Descriptor open(std::string_view key, int flags) const;
  // Makes the folder and those above it where they are missing, durably.
  void make_folders(std::string_view key) const;
  // Makes names added to and removed from the folder durable. The step is reported for `changed`.
  void sync(std::string_view folder, std::string_view changed) const;
  // A file, or an empty folder. Absent is fine.
  void remove(std::string_view key) const;

  // A new file directly below the root; `name` gets its name, which begins with kTemporaryPrefix.
  Descriptor create_temporary(int flags, unsigned mode, std::string& name) const;
  // The same file again; throws when it is gone.
  Descriptor open_temporary(const std::string& name, int flags) const;
  void remove_temporary(const std::string& name) const noexcept;
  // A file directly below the root.
  Descriptor open_or_create(std::string_view name, int flags) const;
  // Gives a temporary file its final name; replaces what has it. The folder must exist.
  void rename_temporary(const std::string& name, std::string_view key) const;

  // Whether one more file that is being written may stay open; if so, let_go() when it is closed.
  bool keep_open() const noexcept {
    if (kept_.fetch_add(1) < kMostKept) return true;
    let_go();
    return false;
  }
  void let_go() const noexcept { kept_.fetch_sub(1); }

  // For messages.
  std::string path_of(std::string_view key) const;
  // Calls options.before_step.
  void step(std::string_view what, std::string_view key) const {
    if (options_.before_step) options_.before_step(what, key);
  }
  bool syncs() const { return options_.sync; }
  const StoreOptions& options() const { return options_; }

 private:
  Descriptor open_root() const;
  Descriptor open_checked(const std::string& path, int flags) const;
  // The folder around `key`, to be used with the last part of the key.
  Descriptor open_parent(std::string_view key) const;
  void make_root(const std::string& path) const;
  void sync_descriptor(const Descriptor& folder, const std::string& path) const;

  static constexpr int kMostKept = 32;
  std::string path_;
  StoreOptions options_;
  mutable std::atomic<int> kept_ = 0;
};

// "a/b" -> "a", "a" -> ".", "/a" -> "/": where the name of a path is kept.
std::string folder_around(const std::string& path);

}  // namespace tegula
