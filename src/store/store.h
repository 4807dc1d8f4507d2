// The interface to where the files of an array are stored.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/traffic.h"
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
  // If given, it gets the state of the file that the bytes are of, as Tail has it.
  std::string* state = nullptr;
};

// The end of a file whose size was not known.
struct Tail {
  Bytes bytes;             // the last ones
  std::uint64_t size = 0;  // of the file
  // Another text after the file was replaced, to tell whether several reads are of one file: not what put_if() takes.
  // Empty when the store does not know it.
  std::string state = {};
};

// A whole file, or its end, when its size is not known. `found` has no value when the file is absent.
struct FileRead {
  std::string_view key;
  std::uint64_t most = UINT64_MAX;  // bytes wanted, counted from the end
  std::optional<Tail> found = {};
  // For probes of names that a server may deny, whether the files are there or not: a denial of this file alone
  // (Error(permission), or the caller's own exception of that meaning) is kept in `failure` and not thrown.
  bool may_fail = false;
  std::exception_ptr failure = {};
};

struct Entry {
  std::string name;  // one level, without the prefix
  bool folder = false;
  std::uint64_t size = 0;
};

// A file of a flat listing.
struct ListedFile {
  std::string key;  // as the other functions of the store take it
  std::uint64_t size = 0;
  std::string state;  // another text after any change of the file
};

struct Listing {
  std::vector<ListedFile> files;  // sorted by key
  bool complete = true;           // false: there are more than were asked for
};

// A file together with its state, which put_if() compares. States are opaque; that of an absent file is empty. They
// hold for the process that read them. Where the state is a hash (S3), a file that got its old bytes back is in its old
// state.
struct StatedFile {
  std::optional<Bytes> bytes;
  std::string state;
};

// What a store wants of those who plan requests to it.
struct StoreHints {
  // Ranges of one file with at most this many bytes between them are cheaper read by one request.
  std::uint64_t gap = 0;
  // Larger ranges are cheaper read by several requests of this size at once.
  std::uint64_t part = UINT64_MAX;
  // How many requests to have under way at once. 0: as many as there are threads, because a request costs processor
  // time and hardly any waiting.
  unsigned in_flight = 0;
  bool lists = true;          // false: list() and list_all() throw Error(unsupported)
  bool writes = true;         // false: every change throws Error(unsupported)
  bool conditional = true;    // put_if() is safe against writers in other processes and on other machines
  bool renames = false;       // a finished folder can be given another name at once
  bool empty_folders = true;  // make_folder() has an effect

  bool remote() const { return in_flight != 0; }
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
  // As appear() if the file of that name is still in that state, with what put_if() promises. False, and nothing is
  // changed, when it is not: the upload is then of no more use.
  virtual bool appear_if(const std::string& state) = 0;
};

// Temporary space, where the store keeps its files, for work that does not fit in memory. It is freed with the object,
// and at the latest with the process; the store must outlive it. Threads may use ranges that do not overlap at the same
// time.
class Scratch {
 public:
  virtual ~Scratch() = default;
  virtual void write(std::uint64_t offset, ByteView bytes) = 0;
  virtual void read(std::uint64_t offset, MutableBytes into) const = 0;  // what was written
};

class Store;

// A folder of a store, by its name there.
struct FolderOf {
  std::shared_ptr<Store> store;
  std::string name;
};

// New contents of a whole store, written beside the old ones, which stay until take_place(). Destroyed before that, it
// leaves what was written; the next replacement of the same store finds it.
class Replacement {
 public:
  virtual ~Replacement() = default;
  // Where the new contents go. It may hold what an earlier replacement left that was stopped.
  virtual const std::shared_ptr<Store>& store() const = 0;
  // Removes what was left.
  virtual void clear() = 0;
  // Puts the new contents, which must be whole, in the place of the old, durably, and removes the old.
  virtual void take_place(const Work& work) = 0;
  // Gives it up and removes what was written. Nothing happens once take_place() has begun.
  virtual void discard() noexcept = 0;
};

// Keys are relative, '/'-separated, without empty, "." or ".." parts: anything else is Error(invalid_argument), and a
// link that leads outside of the store is Error(permission), for reads as for changes. That a file is absent is a
// value; every other failure throws, one to find out whether it is there included. Thread-safe.
class Store {
 public:
  virtual ~Store() = default;

  virtual std::optional<Bytes> get(std::string_view key) const = 0;
  // All ranges, as if asked for at once.
  virtual void get(std::span<RangeRead> reads) const = 0;
  // As get(reads), and calls arrived(i) as soon as reads[i] is filled or known to be absent: on any thread, on several
  // at once, in any order. From then on it does not touch reads[i].into, which may be freed; the keys stay. It waits
  // for all calls before it returns. An exception from one ends it and is rethrown.
  virtual void fetch(std::span<RangeRead> reads, const std::function<void(std::size_t)>& arrived) const;
  // All files, as if asked for at once.
  virtual void get(std::span<FileRead> reads) const;
  // At most `most` bytes, with one request.
  virtual std::optional<Tail> tail(std::string_view key, std::uint64_t most) const = 0;
  virtual std::optional<std::uint64_t> size(std::string_view key) const = 0;  // of a file
  // Files and folders directly below the prefix, sorted by name; empty when there is no such folder. No file is missing
  // together with another that appeared before it was removed; of stores that list in pages this holds for each page.
  virtual std::vector<Entry> list(std::string_view prefix) const = 0;
  // Every file below the prefix at any depth, or the first `most` that the store finds.
  virtual Listing list_all(std::string_view prefix, std::size_t most = SIZE_MAX) const = 0;
  virtual StatedFile get_stated(std::string_view key) const = 0;

  // Writes the whole file or nothing; replaces an existing file. Creates missing folders.
  virtual void put(std::string_view key, std::span<const ByteView> parts) = 0;
  // As put() if the file is still in that state; false, and nothing is changed, when it is not. With the empty state it
  // creates a file only where there is none. Of several writers that start from one state exactly one succeeds; see
  // StoreHints::conditional.
  virtual bool put_if(std::string_view key, std::span<const ByteView> parts, const std::string& state) = 0;
  virtual std::unique_ptr<Upload> begin(std::string_view key) = 0;
  virtual std::unique_ptr<Scratch> scratch() = 0;
  // A file, or an empty folder. Absent is fine.
  virtual void remove(std::string_view key) = 0;
  // Files, with few requests, in any order. After a failure some may be gone.
  virtual void remove(std::span<const std::string> keys);
  // Everything below the prefix, then the folder.
  virtual void remove_tree(std::string_view prefix);
  // Creates an empty folder, if the store has folders.
  virtual void make_folder(std::string_view key) = 0;
  // Makes removals directly below the prefix durable; put() and commit() do this for what they add.
  virtual void sync_folder(std::string_view prefix) = 0;

  // A replacement that takes its place in one step. Null: the store has none (format/registry/overwrite.h then has one
  // of several steps). Throws io while another process or thread has one for the same place.
  virtual std::unique_ptr<Replacement> replacement() { return nullptr; }
  // Finishes a replacement that was stopped after the old contents had lost their name. False: there is none.
  virtual bool recover() { return false; }

  virtual StoreHints hints() const = 0;
  // The path or URI of `key`, for error messages.
  virtual std::string describe(std::string_view key) const = 0;
  // An absolute URI of `key` that opens it from anywhere, for references that are stored in files.
  virtual std::string uri(std::string_view key) const = 0;
  // A text that stores of the same place have in common, however the place was spelled, and stores of different places
  // do not.
  virtual std::string identity() const = 0;
  // This store as a folder of the one around it, which has the same options. No value where there is none around, or
  // nothing is known of it.
  virtual std::optional<FolderOf> around() const { return std::nullopt; }

  // Built on the functions above.
  void put(std::string_view key, ByteView bytes) { put(key, std::span<const ByteView>(&bytes, 1)); }
  void put_text(std::string_view key, std::string_view text) { put(key, bytes_of(text)); }
  std::optional<Bytes> get(std::string_view key, std::uint64_t offset, std::uint64_t length) const;
  bool has(std::string_view key) const { return size(key).has_value(); }
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
  bool exchanges = true;  // false: as on a file system that cannot exchange two names. For tests
  // Storage options of remote stores by name: endpoint, region, keys (docs/stores.md). Local stores take none.
  std::map<std::string, std::string> settings = {};
  // Hears of every request to a server, as one line; on any thread.
  std::function<void(std::string_view line)> trace = {};
  // Counts requests to servers.
  std::shared_ptr<Traffic> traffic = {};
};

// How the names of unfinished files begin; a crash may leave some in the root of a store.
inline constexpr std::string_view kTemporaryPrefix = ".tegula-";

// "a" + "b/c" -> "a/b/c"; either side may be empty.
std::string join(std::string_view a, std::string_view b);
// Throws Error(invalid_argument) unless `key` is a valid key.
void check_key(std::string_view key);

}  // namespace tegula
