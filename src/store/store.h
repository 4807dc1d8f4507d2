// Where bytes live.
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

// One range of one file. The store fills `into` exactly or sets `found` to false when the file is absent.
// A file that is there but ends before offset + into.size() is Error(corrupt).
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

// A large file, written in parts. It appears at commit(), whole and synced; dropping the upload leaves nothing.
class Upload {
 public:
  virtual ~Upload() = default;
  virtual void append(ByteView part) = 0;
  virtual void commit() = 0;
  // The steps of commit(), for several files at once (commit_together): the bytes are made durable, then the file
  // appears. Its name is durable when its folder is synced.
  virtual void sync() = 0;
  virtual void appear() = 0;
};

// Room for work that does not fit in memory, where the store keeps its files. Gone when it is dropped, and with the
// process. Ranges that do not overlap may be used from several threads.
class Scratch {
 public:
  virtual ~Scratch() = default;
  virtual void write(std::uint64_t offset, ByteView bytes) = 0;
  virtual void read(std::uint64_t offset, MutableBytes into) const = 0;  // what was written
};

// Keys are relative, '/'-separated, without empty, "." or ".." parts: anything else, and a link that leads outside, is
// Error(invalid_argument) or Error(permission). Absent is a value; every other trouble throws. Thread-safe.
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

  // Whole or not at all; replaces what was there. Makes folders on the way.
  virtual void put(std::string_view key, std::span<const ByteView> parts) = 0;
  virtual std::unique_ptr<Upload> begin(std::string_view key) = 0;
  virtual std::unique_ptr<Scratch> scratch() = 0;
  // A file, or an empty folder. Absent is fine.
  virtual void remove(std::string_view key) = 0;
  // Makes an empty folder where the store has such things.
  virtual void make_folder(std::string_view key) = 0;
  // Makes removals directly below the prefix durable; put() and commit() do so for what they add.
  virtual void sync_folder(std::string_view prefix) = 0;

  // For messages: what a person would type to get at `key`.
  virtual std::string describe(std::string_view key) const = 0;

  // Conveniences on top.
  void put(std::string_view key, ByteView bytes) { put(key, std::span<const ByteView>(&bytes, 1)); }
  void put_text(std::string_view key, std::string_view text) { put(key, bytes_of(text)); }
  std::optional<Bytes> get(std::string_view key, std::uint64_t offset, std::uint64_t length) const;
  bool has(std::string_view key) const { return size(key).has_value(); }
  void remove_tree(std::string_view prefix);  // everything below, then the folder
};

// Commits uploads into one folder: none appears before all are synced, several at once, and the folder is synced once.
// After a failure some may have appeared.
void commit_together(Store& store, std::string_view folder, std::span<const std::unique_ptr<Upload>> uploads,
                     const Work& work);

struct StoreOptions {
  bool sync = true;           // fsync files and folders on put
  bool follow_links = false;  // allow links that lead outside of the root
  // Called before each step of a change ("write", "sync", "rename", "sync folder", "remove") with its key; what it
  // throws ends the change there, as a crash would. For tests.
  std::function<void(std::string_view step, std::string_view key)> before_step = {};
};

// Names of unfinished writes, which a crash may leave in the root of a store.
inline constexpr std::string_view kTemporaryPrefix = ".tegula-";

// "a" + "b/c" -> "a/b/c"; either side may be empty.
std::string join(std::string_view a, std::string_view b);
// Throws Error(invalid_argument) unless `key` is one a store takes.
void check_key(std::string_view key);

}  // namespace tegula
