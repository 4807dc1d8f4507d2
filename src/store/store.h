// The interface to where the files of an array are stored.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tegula/bytes.h"
#include "tegula/work.h"

namespace tegula {

// One range of one file. The store fills `into` completely, or sets `found` to false when the file is absent. A file
// that ends before offset + into.size() is Error(corrupt).
struct RangeRead {
  std::string_view key;
  std::uint64_t offset = 0;
  MutableBytes into;
  bool found = false;
};

// The end of a file whose size was not known.
struct Tail {
  Bytes bytes;             // the last ones
  std::uint64_t size = 0;  // of the file
};

struct Entry {
  std::string name;  // one level, without the prefix
  bool folder = false;
  std::uint64_t size = 0;
};

// A file written in parts. commit() makes it appear, whole and durable; destroying the upload before that leaves
// nothing.
class Upload {
 public:
  virtual ~Upload() = default;
  virtual void append(ByteView part) = 0;
  virtual void commit() = 0;
  // The steps of commit(), for commit_together(): sync() makes the bytes durable, appear() gives the file its name,
  // which is durable once the folder is synced.
  virtual void sync() = 0;
  virtual void appear() = 0;
};

// Temporary space, where the store keeps its files, for work that does not fit in memory. It is freed with the object,
// and at the latest with the process. Threads may use ranges that do not overlap at the same time.
class Scratch {
 public:
  virtual ~Scratch() = default;
  virtual void write(std::uint64_t offset, ByteView bytes) = 0;
  virtual void read(std::uint64_t offset, MutableBytes into) const = 0;  // what was written
};

// Keys are relative, '/'-separated, without empty, "." or ".." parts: anything else is Error(invalid_argument), and a
// link that leads outside of the store is Error(permission), for reads as for changes. That a file is absent is a
// value; every other failure throws, one to find out whether it is there included. Thread-safe.
class Store {
 public:
  virtual ~Store() = default;

  virtual std::optional<Bytes> get(std::string_view key) const = 0;
  virtual void get(std::span<RangeRead> reads) const = 0;
  // At most `most` bytes, with one request.
  virtual std::optional<Tail> tail(std::string_view key, std::uint64_t most) const = 0;
  virtual std::optional<std::uint64_t> size(std::string_view key) const = 0;  // of a file
  // Files and folders directly below the prefix, sorted by name; empty when there is no such folder.
  virtual std::vector<Entry> list(std::string_view prefix) const = 0;

  // Writes the whole file or nothing; replaces an existing file. Creates missing folders.
  virtual void put(std::string_view key, std::span<const ByteView> parts) = 0;
  virtual std::unique_ptr<Upload> begin(std::string_view key) = 0;
  virtual std::unique_ptr<Scratch> scratch() = 0;
  // A file, or an empty folder. Absent is fine.
  virtual void remove(std::string_view key) = 0;
  // Creates an empty folder, if the store has folders.
  virtual void make_folder(std::string_view key) = 0;
  // Makes removals directly below the prefix durable; put() and commit() do this for what they add.
  virtual void sync_folder(std::string_view prefix) = 0;

  // The path or URI of `key`, for error messages.
  virtual std::string describe(std::string_view key) const = 0;

  // Built on the functions above.
  void put(std::string_view key, ByteView bytes) { put(key, std::span<const ByteView>(&bytes, 1)); }
  void put_text(std::string_view key, std::string_view text) { put(key, bytes_of(text)); }
  std::optional<Bytes> get(std::string_view key, std::uint64_t offset, std::uint64_t length) const;
  bool has(std::string_view key) const { return size(key).has_value(); }
  void remove_tree(std::string_view prefix);  // everything below, then the folder
};

// Commits uploads into one folder: syncs all files, several at a time, then makes all appear, then syncs the folder
// once. After a failure some may have appeared.
void commit_together(Store& store, std::string_view folder, std::span<const std::unique_ptr<Upload>> uploads,
                     const Work& work);

struct StoreOptions {
  bool sync = true;           // fsync files and folders on put
  bool follow_links = false;  // allow links that lead outside of the root
  // Called before each step of a change ("write", "sync", "rename", "sync folder", "remove") with its key; an exception
  // from it ends the change there, as a crash would. For tests.
  std::function<void(std::string_view step, std::string_view key)> before_step = {};
};

// How the names of unfinished files begin; a crash may leave some in the root of a store.
inline constexpr std::string_view kTemporaryPrefix = ".tegula-";

// "a" + "b/c" -> "a/b/c"; either side may be empty.
std::string join(std::string_view a, std::string_view b);
// Throws Error(invalid_argument) unless `key` is a valid key.
void check_key(std::string_view key);

}  // namespace tegula
