#include "store/memory/memory_store.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <thread>

#include "base/current_work.h"
#include "base/fail.h"
#include "store/folder_locks.h"
#include "store/wrap/sub_store.h"

namespace tegula {

namespace {

class MemoryStore final : public Store, public FolderLocks {
 public:
  explicit MemoryStore(std::string name) : name_(std::move(name)) {}

  std::optional<Bytes> get(std::string_view key) const override {
    const auto file = find(key);
    return file ? std::optional(copy_of(file->bytes)) : std::nullopt;
  }

  void get(std::span<RangeRead> reads) const override {
    for (RangeRead& read : reads) {
      const auto file = find(read.key);
      read.found = file != nullptr;
      if (read.state) *read.state = file ? std::to_string(file->number) : std::string();
      if (!file) continue;
      const Bytes& bytes = file->bytes;
      if (read.offset > bytes.size() || read.into.size() > bytes.size() - read.offset)
        fail(ErrorKind::corrupt, "{}: expected {} bytes at byte {}, found {} bytes in all", describe(read.key),
             read.into.size(), read.offset, bytes.size());
      std::copy_n(bytes.data() + read.offset, read.into.size(), read.into.data());
    }
  }

  std::optional<Tail> tail(std::string_view key, std::uint64_t most) const override {
    const auto file = find(key);
    if (!file) return std::nullopt;
    const Bytes& bytes = file->bytes;
    Tail tail{Bytes(std::min<std::uint64_t>(most, bytes.size())), bytes.size(), std::to_string(file->number)};
    std::copy_n(bytes.data() + (bytes.size() - tail.bytes.size()), tail.bytes.size(), tail.bytes.data());
    return tail;
  }

  std::optional<std::uint64_t> size(std::string_view key) const override {
    const auto file = find(key);
    return file ? std::optional<std::uint64_t>(file->bytes.size()) : std::nullopt;
  }

  std::vector<Entry> list(std::string_view prefix) const override {
    if (!prefix.empty()) check_key(prefix);
    const std::string start = prefix.empty() ? "" : std::string(prefix) + "/";
    std::map<std::string, Entry> entries;
    const std::shared_lock lock(mutex_);
    auto add = [&](const std::string& key, bool folder, std::uint64_t size) {
      const std::string_view rest = std::string_view(key).substr(start.size());
      const std::size_t slash = rest.find('/');
      const std::string name(rest.substr(0, slash));
      const bool below = slash != std::string_view::npos;
      entries.insert_or_assign(name, Entry{name, folder || below, below ? 0 : size});
    };
    for (auto it = folders_.lower_bound(start); it != folders_.end() && it->starts_with(start); ++it)
      if (it->size() > start.size()) add(*it, true, 0);
    for (auto it = files_.lower_bound(start); it != files_.end() && it->first.starts_with(start); ++it)
      add(it->first, false, it->second->bytes.size());
    std::vector<Entry> out;
    out.reserve(entries.size());
    for (auto& [name, entry] : entries) out.push_back(std::move(entry));
    return out;
  }

  Listing list_all(std::string_view prefix, std::size_t most) const override {
    if (!prefix.empty()) check_key(prefix);
    const std::string start = prefix.empty() ? "" : std::string(prefix) + "/";
    Listing listing;
    const std::shared_lock lock(mutex_);
    for (auto it = files_.lower_bound(start); it != files_.end() && it->first.starts_with(start); ++it) {
      if (listing.files.size() == most) {
        listing.complete = false;
        break;
      }
      listing.files.push_back({it->first, it->second->bytes.size(), std::to_string(it->second->number)});
    }
    return listing;
  }

  StatedFile get_stated(std::string_view key) const override {
    const auto file = find(key);
    if (!file) return {};
    return {copy_of(file->bytes), std::to_string(file->number)};
  }

  void put(std::string_view key, std::span<const ByteView> parts) override { place(key, joined(parts)); }

  std::unique_ptr<FolderHold> hold(std::string_view folder) override;
  bool put_if(std::string_view key, std::span<const ByteView> parts, const std::string& state) override {
    return place(key, joined(parts), &state);
  }

  std::unique_ptr<Upload> begin(std::string_view key) override;
  std::unique_ptr<Scratch> scratch() override;

  using Store::remove;
  void remove(std::string_view key) override {
    check_key(key);
    const std::string name(key);
    const std::unique_lock lock(mutex_);
    if (files_.erase(name)) return;
    const std::string below = name + "/";
    const auto file = files_.lower_bound(below);
    const auto folder = folders_.lower_bound(below);
    if ((file != files_.end() && file->first.starts_with(below)) ||
        (folder != folders_.end() && folder->starts_with(below)))
      fail(ErrorKind::io, "{}: the folder is not empty", describe(key));
    folders_.erase(name);
  }

  void make_folder(std::string_view key) override {
    check_key(key);
    const std::unique_lock lock(mutex_);
    add_folders(key);
    folders_.emplace(key);
  }

  void sync_folder(std::string_view) override {}

  StoreHints hints() const override { return {}; }
  std::string describe(std::string_view key) const override { return fmt::format("mem://{}", join(name_, key)); }
  std::string uri(std::string_view key) const override { return describe(key); }
  std::string identity() const override { return fmt::format("mem:{}", static_cast<const void*>(this)); }

  // False when `state` is given and is not that of the file.
  bool place(std::string_view key, Bytes bytes, const std::string* state = nullptr) {
    check_key(key);
    const std::unique_lock lock(mutex_);
    const auto old = files_.find(std::string(key));
    if (state && *state != (old == files_.end() ? std::string() : std::to_string(old->second->number))) return false;
    auto file = std::make_shared<const File>(File{std::move(bytes), ++changes_});
    if (folders_.contains(std::string(key))) fail(ErrorKind::io, "{} is a folder", describe(key));
    add_folders(key);
    files_.insert_or_assign(std::string(key), std::move(file));
    return true;
  }

 private:
  struct File {
    Bytes bytes;
    std::uint64_t number = 0;  // of the change that wrote it
  };

  static Bytes joined(std::span<const ByteView> parts) {
    Bytes bytes;
    for (const ByteView part : parts) bytes.insert(bytes.end(), part.begin(), part.end());
    return bytes;
  }

  std::shared_ptr<const File> find(std::string_view key) const {
    check_key(key);
    const std::shared_lock lock(mutex_);
    const auto it = files_.find(std::string(key));
    if (it != files_.end()) return it->second;
    if (folders_.contains(std::string(key))) fail(ErrorKind::io, "{} is a folder, expected a file", describe(key));
    return nullptr;
  }

  void add_folders(std::string_view key) {
    for (std::size_t slash = key.find('/'); slash != std::string_view::npos; slash = key.find('/', slash + 1)) {
      const std::string folder(key.substr(0, slash));
      if (files_.contains(folder)) fail(ErrorKind::io, "{} is a file, expected a folder", describe(folder));
      folders_.insert(folder);
    }
  }

  friend class HeldMemory;
  mutable std::shared_mutex mutex_;
  std::set<std::string> held_;  // folders that somebody has a lock of
  const std::string name_;
  std::map<std::string, std::shared_ptr<const File>> files_;
  std::set<std::string> folders_;
  std::uint64_t changes_ = 0;
};

class HeldMemory final : public FolderHold {
 public:
  HeldMemory(MemoryStore& store, std::string_view folder) : store_(store), folder_(folder) {
    for (;; std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
      CurrentWork::check();
      const std::unique_lock lock(store_.mutex_);
      if (store_.held_.insert(folder_).second) return;
    }
  }
  ~HeldMemory() override {
    const std::unique_lock lock(store_.mutex_);
    store_.held_.erase(folder_);
  }

 private:
  MemoryStore& store_;
  std::string folder_;
};

class MemoryUpload final : public Upload {
 public:
  MemoryUpload(MemoryStore& store, std::string key) : store_(store), key_(std::move(key)) {}
  void append(ByteView part) override { bytes_.insert(bytes_.end(), part.begin(), part.end()); }
  void commit() override { store_.place(key_, std::move(bytes_)); }
  void sync() override {}
  void appear() override { commit(); }
  bool appear_if(const std::string& state) override { return store_.place(key_, std::move(bytes_), &state); }

 private:
  MemoryStore& store_;
  std::string key_;
  Bytes bytes_;
};

// Blocks of one size, allocated when they are first written to.
class MemoryScratch final : public Scratch {
 public:
  void write(std::uint64_t offset, ByteView bytes) override {
    walk(offset, bytes.size(), [&](std::uint64_t block, std::uint64_t at, std::uint64_t done, std::uint64_t n) {
      std::copy_n(bytes.data() + done, n, make(block) + at);
    });
  }
  void read(std::uint64_t offset, MutableBytes into) const override {
    walk(offset, into.size(), [&](std::uint64_t block, std::uint64_t at, std::uint64_t done, std::uint64_t n) {
      std::copy_n(find(block) + at, n, into.data() + done);
    });
  }

 private:
  static constexpr std::uint64_t kBlock = 1 << 20;

  template <class F>
  static void walk(std::uint64_t offset, std::uint64_t size, F each) {
    for (std::uint64_t done = 0; done < size;) {
      const std::uint64_t at = (offset + done) % kBlock, n = std::min(size - done, kBlock - at);
      each((offset + done) / kBlock, at, done, n);
      done += n;
    }
  }
  std::byte* make(std::uint64_t block) {
    const std::unique_lock lock(mutex_);
    Bytes& bytes = blocks_[block];
    if (bytes.empty()) bytes.resize(kBlock);
    return bytes.data();
  }
  const std::byte* find(std::uint64_t block) const {
    const std::shared_lock lock(mutex_);
    const auto at = blocks_.find(block);
    if (at == blocks_.end()) fail(ErrorKind::io, "scratch memory is read where nothing was written");
    return at->second.data();
  }

  mutable std::shared_mutex mutex_;
  std::map<std::uint64_t, Bytes> blocks_;
};

std::unique_ptr<Scratch> MemoryStore::scratch() { return std::make_unique<MemoryScratch>(); }

std::unique_ptr<FolderHold> MemoryStore::hold(std::string_view folder) {
  return std::make_unique<HeldMemory>(*this, folder);
}

std::unique_ptr<Upload> MemoryStore::begin(std::string_view key) {
  check_key(key);
  return std::make_unique<MemoryUpload>(*this, std::string(key));
}

}  // namespace

std::shared_ptr<Store> make_memory_store() { return std::make_shared<MemoryStore>(""); }

std::shared_ptr<Store> open_memory_store(std::string_view name) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<Store>> stores;
  while (!name.empty() && name.back() == '/') name.remove_suffix(1);
  const std::size_t slash = std::min(name.find('/'), name.size());
  std::shared_ptr<Store> store;
  {
    const std::lock_guard lock(mutex);
    const std::string first(name.substr(0, slash));
    std::shared_ptr<Store>& named = stores[first];
    if (!named) named = std::make_shared<MemoryStore>(first);
    store = named;
  }
  return slash == name.size() ? store : sub_store(store, std::string(name.substr(slash + 1)));
}

}  // namespace tegula
