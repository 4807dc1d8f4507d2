// Reads use pread: a mapped file that somebody truncates would end the process, and reads of 64 KiB are as fast from
// the page cache.
#include "store/file/file_store.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/fail.h"
#include "store/adjacent_ranges.h"
#include "store/file/descriptor.h"
#include "store/file/file_state.h"
#include "store/file/file_upload.h"
#include "store/file/folder_swap.h"
#include "store/file/root_folder.h"
#include "store/file/steady_names.h"
#include "store/folder_locks.h"

namespace tegula {

namespace {

constexpr std::size_t kMostPieces = 512;  // of one preadv; systems allow 1024

class HeldFolder final : public FolderHold {
 public:
  HeldFolder(const RootFolder& root, std::string_view folder) : lock_(root, folder) {}

 private:
  FolderLock lock_;
};

class FileStore final : public Store, public FolderLocks {
 public:
  FileStore(std::string path, const StoreOptions& options) : options_(options), root_(std::move(path), options) {}

  std::optional<Bytes> get(std::string_view key) const override {
    struct stat status;
    const Descriptor file = open_file(key, status);
    if (!file) return std::nullopt;
    Bytes bytes(static_cast<std::size_t>(status.st_size));
    read_exactly(file.get(), 0, bytes, key, bytes.size());
    return bytes;
  }

  void get(std::span<RangeRead> reads) const override {
    Descriptor file;
    std::string_view open_key;
    struct stat status{};
    std::string state;
    for (std::size_t i = 0; i < reads.size();) {
      const std::size_t end = std::min(adjacent_end(reads, i), i + kMostPieces);
      if (!file || reads[i].key != open_key) {
        file = open_file(reads[i].key, status);
        open_key = reads[i].key;
        state.clear();
      }
      const std::span<RangeRead> some = reads.subspan(i, end - i);
      for (RangeRead& read : some) {
        read.found = static_cast<bool>(file);
        if (!read.state) continue;
        if (file && state.empty()) state = state_of(status);
        *read.state = state;
      }
      if (file) read_pieces(file.get(), some, static_cast<std::uint64_t>(status.st_size));
      i = end;
    }
  }

  std::optional<Tail> tail(std::string_view key, std::uint64_t most) const override {
    struct stat status;
    const Descriptor file = open_file(key, status);
    if (!file) return std::nullopt;
    const auto size = static_cast<std::uint64_t>(status.st_size);
    Tail tail{Bytes(std::min(most, size)), size, state_of(status)};
    read_exactly(file.get(), size - tail.bytes.size(), tail.bytes, key, size);
    return tail;
  }

  std::optional<std::uint64_t> size(std::string_view key) const override {
    struct stat status;
    const Descriptor file = open_file(key, status, O_PATH);
    return file ? std::optional(static_cast<std::uint64_t>(status.st_size)) : std::nullopt;
  }

  std::vector<Entry> list(std::string_view prefix) const override {
    constexpr int kAttempts = 24;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const std::optional<std::vector<std::string>> names = steady_names([&] { return read_names(prefix); });
      if (!names) break;
      if (std::optional<std::vector<Entry>> entries = look_at(prefix, *names)) return std::move(*entries);
    }
    fail(ErrorKind::io, "'{}' keeps changing while it is listed; try again", describe(prefix));
  }

  Listing list_all(std::string_view prefix, std::size_t most) const override {
    // A link may lead to a folder around it, which is not entered again.
    using Identity = std::pair<dev_t, ino_t>;
    struct Folder {
      std::string key;
      std::vector<Identity> path;  // itself, and the folders it was reached through
    };
    Listing listing;
    std::vector<Folder> left = {{std::string(prefix), {}}};
    struct stat top;
    if (const Descriptor folder = root_.open(prefix, O_PATH | O_DIRECTORY); folder && ::fstat(folder.get(), &top) == 0)
      left.back().path.emplace_back(top.st_dev, top.st_ino);
    while (!left.empty()) {
      const Folder folder = std::move(left.back());
      left.pop_back();
      each_entry(folder.key, [&](const char* name, const struct stat& status) {
        std::string key = join(folder.key, name);
        if (S_ISDIR(status.st_mode)) {
          const Identity identity{status.st_dev, status.st_ino};
          if (std::ranges::find(folder.path, identity) != folder.path.end()) return true;
          left.push_back({std::move(key), folder.path});
          left.back().path.push_back(identity);
          return true;
        }
        listing.complete = listing.files.size() < most;
        if (listing.complete)
          listing.files.push_back({std::move(key), static_cast<std::uint64_t>(status.st_size), state_of(status)});
        return listing.complete;
      });
      if (!listing.complete) break;
    }
    std::ranges::sort(listing.files, {}, &ListedFile::key);
    return listing;
  }

  StatedFile get_stated(std::string_view key) const override {
    struct stat status;
    const Descriptor file = open_file(key, status);
    if (!file) return {};
    Bytes bytes(static_cast<std::size_t>(status.st_size));
    read_exactly(file.get(), 0, bytes, key, bytes.size());
    std::string state = state_of(status, bytes);
    return {std::move(bytes), std::move(state)};
  }

  bool put_if(std::string_view key, std::span<const ByteView> parts, const std::string& state) override {
    const std::unique_ptr<Upload> upload = begin(key);
    for (const ByteView part : parts) upload->append(part);
    upload->sync();
    if (!upload->appear_if(state)) return false;
    root_.sync(key.substr(0, key.rfind('/') == key.npos ? 0 : key.rfind('/')), key);
    return true;
  }

  void put(std::string_view key, std::span<const ByteView> parts) override {
    const std::unique_ptr<Upload> upload = begin(key);
    for (const ByteView part : parts) upload->append(part);
    upload->commit();
  }
  std::unique_ptr<FolderHold> hold(std::string_view folder) override {
    if (!folder.empty()) check_key(folder);
    return std::make_unique<HeldFolder>(root_, folder);
  }
  std::unique_ptr<Upload> begin(std::string_view key) override {
    return begin_upload(root_, key, [this](std::string_view name) { return get_stated(name).state; });
  }
  std::unique_ptr<Scratch> scratch() override { return make_scratch(root_); }
  using Store::remove;
  void remove(std::string_view key) override { root_.remove(key); }
  void make_folder(std::string_view key) override {
    check_key(key);
    root_.make_folders(key);
  }
  void sync_folder(std::string_view prefix) override { root_.sync(prefix, prefix); }
  std::unique_ptr<Replacement> replacement() override { return swap_folder(root_.path_of(""), options_); }
  bool recover() override { return finish_swap(root_.path_of(""), options_); }
  StoreHints hints() const override {
    StoreHints hints;
    hints.renames = true;
    return hints;
  }
  std::string describe(std::string_view key) const override { return root_.path_of(key); }
  std::string uri(std::string_view key) const override {
    return "file://" + std::filesystem::absolute(root_.path_of(key)).lexically_normal().string();
  }
  std::string identity() const override {
    std::error_code error;
    const std::filesystem::path path = root_.path_of("");
    const std::filesystem::path real = std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
    return "file:" + (error ? path : real).string();
  }
  // By the path as it was given: a link belongs to the folder that it is in.
  std::optional<FolderOf> around() const override {
    std::filesystem::path path = std::filesystem::absolute(root_.path_of("")).lexically_normal();
    if (!path.has_filename()) path = path.parent_path();
    if (!path.has_relative_path()) return std::nullopt;
    return FolderOf{std::make_shared<FileStore>(path.parent_path().string(), root_.options()),
                    path.filename().string()};
  }

 private:
  // Empty and steady when there is no such folder.
  FolderNames read_names(std::string_view prefix) const {
    Descriptor folder = root_.open(prefix, O_RDONLY | O_DIRECTORY);
    if (!folder) {
      if (errno == ENOENT || errno == ENOTDIR) return {};
      fail_system(errno, "listing", describe(prefix));
    }
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(folder.get()), ::closedir);
    if (!stream) fail_system(errno, "listing", describe(prefix));
    const int fd = folder.release();  // closedir() closes it
    FolderNames found;
    struct stat before, after;
    if (::fstat(fd, &before) != 0) fail_system(errno, "listing", describe(prefix));
    const bool settled = is_settled(before);
    for (;;) {
      errno = 0;
      const dirent* entry = ::readdir(stream.get());
      if (!entry) break;
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") found.names.emplace_back(name);
    }
    if (errno != 0 || ::fstat(fd, &after) != 0) fail_system(errno, "listing", describe(prefix));
    found.steady =
        settled && before.st_mtim.tv_sec == after.st_mtim.tv_sec && before.st_mtim.tv_nsec == after.st_mtim.tv_nsec;
    return found;
  }

  // The kinds and sizes of what was found in a folder; nullopt when some of it is gone.
  std::optional<std::vector<Entry>> look_at(std::string_view prefix, const std::vector<std::string>& names) const {
    std::vector<Entry> entries;
    if (names.empty()) return entries;
    const Descriptor folder = root_.open(prefix, O_RDONLY | O_DIRECTORY);
    if (!folder) {
      if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
      fail_system(errno, "listing", describe(prefix));
    }
    entries.reserve(names.size());
    for (const std::string& name : names) {
      struct stat status;
      if (::fstatat(folder.get(), name.c_str(), &status, 0) != 0) {
        if (errno != ENOENT) fail_system(errno, "listing", describe(prefix));
        const bool dangling = ::fstatat(folder.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
        if (dangling || name.starts_with(kTemporaryPrefix)) continue;
        return std::nullopt;
      }
      const bool is_folder = S_ISDIR(status.st_mode);
      entries.push_back({name, is_folder, is_folder ? 0 : static_cast<std::uint64_t>(status.st_size)});
    }
    return entries;
  }

  // Calls use(name, status) for what is directly in the folder, until it returns false; not at all when there is no
  // such folder.
  template <class Use>
  void each_entry(std::string_view prefix, Use use) const {
    Descriptor folder = root_.open(prefix, O_RDONLY | O_DIRECTORY);
    if (!folder) {
      if (errno == ENOENT || errno == ENOTDIR) return;
      fail_system(errno, "listing", describe(prefix));
    }
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(folder.get()), ::closedir);
    if (!stream) fail_system(errno, "listing", describe(prefix));
    const int fd = folder.release();  // closedir() closes it
    for (;;) {
      errno = 0;
      const dirent* entry = ::readdir(stream.get());
      if (!entry) {
        if (errno != 0) fail_system(errno, "listing", describe(prefix));
        return;
      }
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      struct stat status;
      if (::fstatat(fd, entry->d_name, &status, 0) != 0) {
        if (errno == ENOENT) continue;  // removed meanwhile, or a dangling link
        fail_system(errno, "listing", describe(prefix));
      }
      if (!use(entry->d_name, status)) return;
    }
  }

  // No descriptor: absent. Throws for everything else that is not a regular file.
  Descriptor open_file(std::string_view key, struct stat& status, int flags = O_RDONLY) const {
    check_key(key);
    Descriptor file = root_.open(key, flags);
    if (!file) {
      if (errno == ENOENT || errno == ENOTDIR) return file;
      fail_system(errno, "opening", describe(key));
    }
    if (::fstat(file.get(), &status) != 0) fail_system(errno, "looking at", describe(key));
    if (!S_ISREG(status.st_mode))
      fail(ErrorKind::io, "'{}' is {}, expected a file", describe(key),
           S_ISDIR(status.st_mode) ? "a folder" : "a special file");
    return file;
  }

  void read_exactly(int fd, std::uint64_t offset, MutableBytes into, std::string_view key,
                    std::uint64_t file_size) const {
    check_size(offset, into.size(), key, file_size);
    std::size_t done = 0;
    while (done < into.size()) {
      const ssize_t n =
          retry([&] { return ::pread(fd, into.data() + done, into.size() - done, static_cast<off_t>(offset + done)); });
      if (n < 0) fail_system(errno, "reading", describe(key));
      if (n == 0) fail(ErrorKind::io, "'{}' was cut short while it was read", describe(key));
      done += static_cast<std::size_t>(n);
    }
  }

  // Adjacent ranges of one file.
  void read_pieces(int fd, std::span<const RangeRead> reads, std::uint64_t file_size) const {
    const std::string_view key = reads[0].key;
    const std::uint64_t offset = reads[0].offset;
    if (reads.size() == 1) return read_exactly(fd, offset, reads[0].into, key, file_size);
    std::uint64_t size = 0;
    std::array<iovec, kMostPieces> pieces;
    for (std::size_t i = 0; i < reads.size(); ++i) {
      pieces[i] = {reads[i].into.data(), reads[i].into.size()};
      size += reads[i].into.size();
    }
    check_size(offset, size, key, file_size);
    std::uint64_t done = 0;
    for (std::span<iovec> left(pieces.data(), reads.size()); done < size;) {
      const ssize_t n = retry(
          [&] { return ::preadv(fd, left.data(), static_cast<int>(left.size()), static_cast<off_t>(offset + done)); });
      if (n < 0) fail_system(errno, "reading", describe(key));
      if (n == 0) fail(ErrorKind::io, "'{}' was cut short while it was read", describe(key));
      done += static_cast<std::uint64_t>(n);
      for (auto rest = static_cast<std::size_t>(n); rest > 0 || (!left.empty() && left[0].iov_len == 0);) {
        const std::size_t taken = std::min(rest, left[0].iov_len);
        left[0] = {static_cast<std::byte*>(left[0].iov_base) + taken, left[0].iov_len - taken};
        rest -= taken;
        if (left[0].iov_len == 0) left = left.subspan(1);
      }
    }
  }

  // Before the read, so that a damaged length names what is really there.
  void check_size(std::uint64_t offset, std::uint64_t size, std::string_view key, std::uint64_t file_size) const {
    if (offset > file_size || size > file_size - offset)
      fail(ErrorKind::corrupt, "'{}': expected {} bytes at byte {}, found {} bytes in all", describe(key), size, offset,
           file_size);
  }

  const StoreOptions options_;
  RootFolder root_;
};

}  // namespace

std::shared_ptr<Store> open_file_store(std::string root, const StoreOptions& options) {
  if (root.empty()) fail(ErrorKind::invalid_argument, "an empty path names nothing; write '.' for the current folder");
  while (root.size() > 1 && root.back() == '/') root.pop_back();
  return std::make_shared<FileStore>(std::move(root), options);
}

namespace {

class LocalScratch final : public Scratch {
 public:
  LocalScratch() : root_(std::filesystem::temp_directory_path().string(), {}), inner_(make_scratch(root_)) {}
  void write(std::uint64_t offset, ByteView bytes) override { inner_->write(offset, bytes); }
  void read(std::uint64_t offset, MutableBytes into) const override { inner_->read(offset, into); }

 private:
  RootFolder root_;
  std::unique_ptr<Scratch> inner_;  // borrows it
};

}  // namespace

std::unique_ptr<Scratch> local_scratch() { return std::make_unique<LocalScratch>(); }

}  // namespace tegula
