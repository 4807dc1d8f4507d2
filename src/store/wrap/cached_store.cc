#include "store/wrap/cached_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>
#include <set>

#include "base/cursor.h"
#include "base/fail.h"
#include "codec/checksum/checksum.h"
#include "codec/checksum/crc32c.h"
#include "store/file_states.h"
#include "store/wrap/wrapped_store.h"

namespace tegula {

namespace {

constexpr std::uint64_t kMagic = 0x3165686361676574;  // "tegache1"
constexpr std::uint64_t kGenerations = 16;
constexpr std::string_view kFolder = "tegula-cache-1";  // of the disk, which may hold files of others

// Entries on the disk. Nothing that goes wrong with it is an error: it is only a cache. Thread-safe.
class CacheDisk {
 public:
  CacheDisk(std::shared_ptr<Store> disk, std::uint64_t most) : disk_(std::move(disk)), most_(most) {
    try {
      find_generations();
    } catch (const Error&) {
    }
  }

  // The content of the entry that is called `name`, which says all about what it holds.
  std::optional<Bytes> find(const std::string& name) {
    const std::string file = file_of(name);
    const auto [oldest, newest] = generations();
    for (std::uint64_t generation = newest + 1; generation-- > oldest;) {
      std::optional<Bytes> found;
      try {
        if (const std::optional<Bytes> stored = disk_->get(join(folder_of(generation), file)))
          found = unpacked(*stored, name);
      } catch (const Error&) {
      }
      if (!found) continue;
      if (generation != newest) keep(name, *found);
      return found;
    }
    return std::nullopt;
  }

  void keep(const std::string& name, ByteView content) {
    if (content.size() > most_ / kGenerations) return;
    Bytes front;
    ByteWriter out(front);
    out.put<std::uint64_t>(kMagic);
    out.put<std::uint32_t>(codec::crc32c(content));
    out.put<std::uint64_t>(content.size());
    out.put<std::uint32_t>(static_cast<std::uint32_t>(name.size()));
    out.text(name);
    const ByteView parts[] = {front, content};
    try {
      disk_->put(join(folder_of(room_for(front.size() + content.size())), file_of(name)), parts);
    } catch (const Error&) {
    }
  }

 private:
  static std::string folder_of(std::uint64_t generation) { return fmt::format("{}/g{:016x}", kFolder, generation); }
  static std::optional<std::uint64_t> generation_of(const Entry& entry) {
    std::uint64_t number = 0;
    const char* end = entry.name.data() + entry.name.size();
    const bool own = entry.folder && entry.name.size() == 17 && entry.name.starts_with('g') &&
                     std::from_chars(entry.name.data() + 1, end, number, 16).ptr == end;
    return own && number < UINT64_MAX - kGenerations ? std::optional(number) : std::nullopt;
  }
  static std::string file_of(const std::string& name) {
    std::string hex;
    for (const std::byte byte : codec::sha256(bytes_of(name)))
      hex += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
    return hex;
  }
  static std::optional<Bytes> unpacked(ByteView stored, const std::string& name) {
    Cursor in(stored, "a cache entry");
    if (in.read<std::uint64_t>() != kMagic) return std::nullopt;
    const auto checksum = in.read<std::uint32_t>();
    const auto size = in.read<std::uint64_t>();
    const auto name_size = in.read<std::uint32_t>();
    if (in.string(name_size) != name || in.remaining() != size || codec::crc32c(in.rest()) != checksum)
      return std::nullopt;
    return copy_of(in.rest());
  }

  std::pair<std::uint64_t, std::uint64_t> generations() {
    const std::lock_guard lock(mutex_);
    return {oldest_, newest_};
  }
  void find_generations() {
    std::uint64_t least = UINT64_MAX;
    for (const Entry& entry : disk_->list(kFolder)) {
      const std::optional<std::uint64_t> number = generation_of(entry);
      if (!number) continue;
      least = std::min(least, *number);
      newest_ = std::max(newest_, *number);
    }
    // A damaged name must not make every search a long one.
    oldest_ = std::max(std::min(least, newest_), newest_ - std::min(newest_, kGenerations - 1));
    for (const Entry& entry : disk_->list(folder_of(newest_))) used_ += entry.size;
  }
  // The generation for so many bytes. A full one ends, also if another process filled it: its size is looked at now and
  // then.
  std::uint64_t room_for(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    used_ += bytes;
    if (used_ <= most_ / kGenerations) return newest_;
    ++newest_;
    used_ = bytes;
    for (; newest_ - oldest_ >= kGenerations; ++oldest_) {
      try {
        disk_->remove_tree(folder_of(oldest_));
      } catch (const Error&) {
      }
    }
    return newest_;
  }

  std::shared_ptr<Store> disk_;
  const std::uint64_t most_;
  std::mutex mutex_;
  std::uint64_t oldest_ = 0, newest_ = 0, used_ = 0;
};

class CachedStore final : public WrappedStore {
 public:
  CachedStore(std::shared_ptr<Store> store, const FileStates& states, std::shared_ptr<Store> disk, std::uint64_t most)
      : WrappedStore(std::move(store)), states_(states), disk_(std::move(disk), most), identity_(store_->identity()) {}

  std::optional<Bytes> get(std::string_view key) const override {
    FileRead read{key};
    get(std::span(&read, 1));
    return read.found ? std::optional(std::move(read.found->bytes)) : std::nullopt;
  }
  std::optional<Tail> tail(std::string_view key, std::uint64_t most) const override {
    FileRead read{key, most};
    get(std::span(&read, 1));
    return std::move(read.found);
  }
  void get(std::span<RangeRead> reads) const override {
    fetch(reads, [](std::size_t) {});
  }
  void fetch(std::span<RangeRead> reads, const std::function<void(std::size_t)>& arrived) const override {
    const std::vector<std::string> states = states_of(reads);
    std::vector<RangeRead> unknown;
    std::vector<std::size_t> places;
    std::set<std::string_view> hits;  // files of which something was in the cache
    const auto name = [&](std::size_t i) {
      return fmt::format("{}\n{}\n{}\n{}+{}", identity_, reads[i].key, states[i], reads[i].offset,
                         reads[i].into.size());
    };
    for (std::size_t i = 0; i < reads.size(); ++i) {
      std::optional<Bytes> kept;
      if (!states[i].empty() && !reads[i].into.empty()) kept = disk_.find(name(i));
      if (kept && kept->size() == reads[i].into.size()) {
        std::ranges::copy(*kept, reads[i].into.begin());
        reads[i].found = true;
        if (reads[i].state) *reads[i].state = states[i];
        hits.insert(reads[i].key);
        arrived(i);
      } else {
        unknown.push_back(reads[i]);
        places.push_back(i);
      }
    }
    if (unknown.empty()) return;
    // Whether they may be kept shows when all have arrived, and by then the caller may have used and freed the others.
    std::vector<Bytes> copies(unknown.size());
    store_->fetch(unknown, [&](std::size_t at) {
      const std::size_t i = places[at];
      reads[i].found = unknown[at].found;
      if (reads[i].found && !states[i].empty()) copies[at] = copy_of(reads[i].into);
      arrived(i);
    });
    const std::vector<std::string> now = states_of(std::span<const RangeRead>(unknown));
    // What came from the cache and what came from the store have to be of one state.
    for (std::size_t at = 0; at < unknown.size(); ++at)
      if (now[at] != states[places[at]] && hits.contains(unknown[at].key))
        fail(ErrorKind::io, "{}: it changed while it was read; open it again", describe(unknown[at].key));
    for (std::size_t at = 0; at < unknown.size(); ++at)
      if (const std::size_t i = places[at]; !copies[at].empty() && now[at] == states[i])
        disk_.keep(name(i), copies[at]);
  }
  void get(std::span<FileRead> reads) const override {
    const std::vector<std::string> states = states_of(reads);
    std::vector<FileRead> unknown;
    std::vector<std::size_t> places;
    const auto name = [&](std::size_t i) {
      return fmt::format("{}\n{}\n{}\nlast {}", identity_, reads[i].key, states[i], reads[i].most);
    };
    for (std::size_t i = 0; i < reads.size(); ++i) {
      reads[i].found.reset();
      reads[i].failure = nullptr;
      // The size of the file stands in front of its end.
      const std::optional<Bytes> kept = states[i].empty() ? std::nullopt : disk_.find(name(i));
      if (kept && kept->size() >= sizeof(std::uint64_t)) {
        const ByteView bytes = *kept;
        reads[i].found =
            Tail{copy_of(bytes.subspan(sizeof(std::uint64_t))), load_le<std::uint64_t>(bytes.data()), states[i]};
      } else {
        unknown.push_back(reads[i]);
        places.push_back(i);
      }
    }
    if (unknown.empty()) return;
    store_->get(unknown);
    const std::vector<std::string> now = states_of(std::span<const FileRead>(unknown));
    for (std::size_t at = 0; at < unknown.size(); ++at) {
      const std::size_t i = places[at];
      reads[i].found = std::move(unknown[at].found);
      reads[i].failure = std::move(unknown[at].failure);
      if (!reads[i].found || now[at].empty() || now[at] != states[i]) continue;
      Bytes content;
      ByteWriter out(content);
      out.put<std::uint64_t>(reads[i].found->size);
      out.bytes(reads[i].found->bytes);
      disk_.keep(name(i), content);
    }
  }
  // Uncached: what is around is looked at to change it.
  std::optional<FolderOf> around() const override { return store_->around(); }

 private:
  // The state of the file of each read.
  template <class Read>
  std::vector<std::string> states_of(std::span<Read> reads) const {
    std::vector<FileState> files;
    std::vector<std::size_t> file_of;
    std::map<std::string_view, std::size_t> known;
    for (const Read& read : reads) {
      const auto [at, first] = known.try_emplace(read.key, files.size());
      if (first) files.push_back({read.key, ""});
      file_of.push_back(at->second);
    }
    states_.states(files);
    std::vector<std::string> out;
    for (const std::size_t file : file_of) out.push_back(files[file].state);
    return out;
  }

  const FileStates& states_;
  mutable CacheDisk disk_;
  const std::string identity_;
};

}  // namespace

std::shared_ptr<Store> cached_store(std::shared_ptr<Store> store, std::shared_ptr<Store> disk, std::uint64_t most) {
  const auto* states = dynamic_cast<const FileStates*>(store.get());
  if (!states) return store;
  return std::make_shared<CachedStore>(std::move(store), *states, std::move(disk), most);
}

}  // namespace tegula
