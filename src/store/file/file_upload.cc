// How a file comes to be:
//   1. It is written under a temporary name in the root folder of the store. Not in its final folder: other libraries
//      take every file of some folders (TileDB's __schema) for data, and a crash may leave it behind.
//   2. It is synced, so that its bytes are on the disk before its name is. Writing long files back starts while they
//      are written; an empty file has no bytes to wait for.
//   3. It is renamed to its final name, which replaces an older file of that name in one step.
//   4. The folder is synced, so that the new name survives a power loss.
// A crash before 3 leaves what was there before, plus a file named .tegula-*.
#include "store/file/file_upload.h"

#include <fcntl.h>

#include "base/fail.h"
#include "store/file/file_state.h"

namespace tegula {

namespace {

class FileUpload final : public Upload {
 public:
  FileUpload(const RootFolder& root, std::string_view key, StateOf state_of)
      : root_(root), key_(key), state_of_(std::move(state_of)) {
    check_key(key);
    const std::size_t slash = key_.rfind('/');
    if (slash != std::string::npos) folder_ = key_.substr(0, slash);
    root_.make_folders(folder_);
    root_.step("create", key_);
    Descriptor file = root_.create_temporary(O_WRONLY, 0666, temporary_);
    created_ = true;
    if (root_.keep_open()) file_ = std::move(file);
  }

  ~FileUpload() override {
    if (!committed_ && created_) root_.remove_temporary(temporary_);
    close();
  }

  void append(ByteView part) override {
    root_.step("write", key_);
    const Descriptor again = reopened();
    const int file = again ? again.get() : file_.get();
    write_at(file, size_, part, root_.path_of(key_));
    size_ += part.size();
    if (!root_.syncs() || size_ - sent_ < kSendAtOnce) return;
    // A hint: whatever it does not write, the sync at the end does.
    ::sync_file_range(file, static_cast<off_t>(sent_), static_cast<off_t>(size_ - sent_), SYNC_FILE_RANGE_WRITE);
    sent_ = size_;
  }

  void commit() override {
    sync();
    appear();
    root_.sync(folder_, key_);
  }

  void sync() override {
    if (root_.syncs() && size_ > 0) {
      root_.step("sync", key_);
      const Descriptor again = reopened();
      if (retry([&] { return ::fsync(again ? again.get() : file_.get()); }) != 0)
        fail_system(errno, "syncing", root_.path_of(key_));
    }
    close();  // thousands may wait for their names
  }

  void appear() override {
    root_.step("rename", key_);
    root_.rename_temporary(temporary_, key_);
    committed_ = true;
    close();
  }

  bool appear_if(const std::string& state) override {
    const FolderLock lock(root_, folder_);
    if (state_of_(key_) != state) return false;
    appear();
    return true;
  }

 private:
  // Where many files are written at once, most are open only while something is added to them: a process has few
  // descriptors, and a fragment has a file or more for each field.
  Descriptor reopened() const { return file_ ? Descriptor() : root_.open_temporary(temporary_, O_WRONLY); }
  void close() {
    if (!file_) return;
    file_ = Descriptor();
    root_.let_go();
  }

  static constexpr std::uint64_t kSendAtOnce = 8 << 20;
  const RootFolder& root_;
  std::string key_, folder_, temporary_;
  StateOf state_of_;
  Descriptor file_;
  std::uint64_t size_ = 0, sent_ = 0;  // bytes written, and bytes the system was asked to write back
  bool created_ = false, committed_ = false;
};

class FileScratch final : public Scratch {
 public:
  explicit FileScratch(const RootFolder& root) : root_(root) {
    root_.make_folders("");
    root_.step("create", "");
    std::string name;
    file_ = root_.create_temporary(O_RDWR, 0600, name);
    root_.remove_temporary(name);
    path_ = root_.path_of(name);
  }
  void write(std::uint64_t offset, ByteView bytes) override {
    root_.step("write", "");
    write_at(file_.get(), offset, bytes, path_);
  }
  void read(std::uint64_t offset, MutableBytes into) const override {
    for (std::size_t done = 0; done < into.size();) {
      const ssize_t n = retry([&] {
        return ::pread(file_.get(), into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
      });
      if (n < 0) fail_system(errno, "reading", path_);
      if (n == 0) fail(ErrorKind::io, "'{}' is read where nothing was written", path_);
      done += static_cast<std::size_t>(n);
    }
  }

 private:
  const RootFolder& root_;
  std::string path_;
  Descriptor file_;
};

}  // namespace

std::unique_ptr<Upload> begin_upload(const RootFolder& root, std::string_view key, StateOf state_of) {
  return std::make_unique<FileUpload>(root, key, std::move(state_of));
}

std::unique_ptr<Scratch> make_scratch(const RootFolder& root) { return std::make_unique<FileScratch>(root); }

}  // namespace tegula
