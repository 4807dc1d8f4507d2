#include "store/zip/zip_store.h"

#include <algorithm>

#include "base/fail.h"
#include "store/wrap/sub_store.h"
#include "store/zip/archive_uri.h"
#include "store/zip/zip_reads.h"

namespace tegula {

namespace {

class ZipStore final : public Store {
 public:
  ZipStore(std::shared_ptr<Store> store, std::string key)
      : store_(std::move(store)),
        key_(std::move(key)),
        directory_(read_zip_directory(*store_, key_)),
        reader_(*store_, key_, directory_) {}

  using Store::get;
  std::optional<Bytes> get(std::string_view key) const override {
    FileRead read{key};
    get(std::span(&read, 1));
    return read.found ? std::optional(std::move(read.found->bytes)) : std::nullopt;
  }
  void get(std::span<RangeRead> reads) const override {
    fetch(reads, [](std::size_t) {});
  }
  void fetch(std::span<RangeRead> reads, const std::function<void(std::size_t)>& arrived) const override {
    std::vector<const ZipMember*> members(reads.size());
    for (std::size_t i = 0; i < reads.size(); ++i) {
      members[i] = find(reads[i].key);
      reads[i].found = members[i] != nullptr;
      if (members[i]) reader_.check_size(*members[i]);
      if (members[i] &&
          (reads[i].offset > members[i]->size || reads[i].into.size() > members[i]->size - reads[i].offset))
        fail(ErrorKind::corrupt, "{}: expected {} bytes at byte {}, found {} bytes in all", describe(reads[i].key),
             reads[i].into.size(), reads[i].offset, members[i]->size);
    }
    reader_.fetch(reads, members, arrived);
  }
  void get(std::span<FileRead> reads) const override {
    try {
      get_all(reads);
    } catch (const Error& error) {
      // Whose failure it was shows one by one.
      const bool probes = std::ranges::any_of(reads, &FileRead::may_fail);
      if (!probes || error.kind() != ErrorKind::permission) throw;
      for (FileRead& read : reads) get_one(read);
    }
  }
  std::optional<Tail> tail(std::string_view key, std::uint64_t most) const override {
    FileRead read{key, most, {}};
    get(std::span(&read, 1));
    return std::move(read.found);
  }
  std::optional<std::uint64_t> size(std::string_view key) const override {
    const ZipMember* member = find(key);
    if (member) reader_.check_size(*member);  // others take as much memory as it says
    return member ? std::optional(member->size) : std::nullopt;
  }

  std::vector<Entry> list(std::string_view prefix) const override {
    const std::string start = start_of(prefix);
    std::vector<Entry> out;
    const auto add_folder = [&](std::string_view path) {
      const std::string_view rest = path.substr(start.size());
      const std::string_view name = rest.substr(0, rest.find('/'));
      if (out.empty() || !out.back().folder || out.back().name != name) out.push_back({std::string(name), true, 0});
    };
    for (auto at = first_below(start); at != directory_.members.end() && at->name.starts_with(start);) {
      const std::size_t slash = at->name.find('/', start.size());
      if (slash == std::string::npos) {
        out.push_back({at->name.substr(start.size()), false, at->size});
        ++at;
        continue;
      }
      add_folder(at->name);
      // Everything else below that folder is before the next name that '/' + 1 could begin.
      std::string next = at->name.substr(0, slash);
      next.push_back('/' + 1);
      at = first_below(next);
    }
    for (auto at = std::ranges::lower_bound(directory_.folders, start);
         at != directory_.folders.end() && at->starts_with(start); ++at)
      add_folder(*at);
    const auto place = [](const Entry& entry) { return std::pair<std::string_view, bool>(entry.name, entry.folder); };
    std::ranges::sort(out, {}, place);
    out.erase(std::unique(out.begin(), out.end(), [&](const Entry& a, const Entry& b) { return place(a) == place(b); }),
              out.end());
    return out;
  }
  Listing list_all(std::string_view prefix, std::size_t most) const override {
    const std::string start = start_of(prefix);
    Listing listing;
    for (auto at = first_below(start); at != directory_.members.end() && at->name.starts_with(start); ++at) {
      if (listing.files.size() == most) {
        listing.complete = false;
        break;
      }
      listing.files.push_back({at->name, at->size, state_of(*at)});
    }
    return listing;
  }
  StatedFile get_stated(std::string_view key) const override {
    const ZipMember* member = find(key);
    return member ? StatedFile{get(key), state_of(*member)} : StatedFile{};
  }

  using Store::put;
  void put(std::string_view key, std::span<const ByteView>) override { refuse(key); }
  bool put_if(std::string_view key, std::span<const ByteView>, const std::string&) override { refuse(key); }
  std::unique_ptr<Upload> begin(std::string_view key) override { refuse(key); }
  std::unique_ptr<Scratch> scratch() override { return store_->scratch(); }
  using Store::remove;
  void remove(std::string_view key) override { refuse(key); }
  void make_folder(std::string_view key) override { refuse(key); }
  void sync_folder(std::string_view) override {}

  StoreHints hints() const override {
    StoreHints hints = store_->hints();
    hints.lists = true;
    hints.writes = hints.conditional = hints.renames = false;
    return hints;
  }
  std::string describe(std::string_view key) const override {
    // Also a URI that opens it.
    return inside((named_as_archive(key_) ? "" : "zip://") + store_->describe(key_), key);
  }
  std::string uri(std::string_view key) const override {
    const std::string archive = store_->uri(key_);
    return fmt::format("zip://{}!/{}", archive, key);
  }
  std::string identity() const override { return fmt::format("{}/{}!", store_->identity(), key_); }

  const ZipDirectory& directory() const { return directory_; }

 private:
  void get_all(std::span<FileRead> reads) const {
    std::vector<RangeRead> ranges;
    for (FileRead& read : reads) {
      read.found.reset();
      const ZipMember* member = find(read.key);
      if (!member) continue;
      reader_.check_size(*member);
      read.found = Tail{Bytes(std::min(read.most, member->size)), member->size};
      ranges.push_back({read.key, member->size - read.found->bytes.size(), read.found->bytes});
    }
    get(ranges);
  }
  void get_one(FileRead& read) const {
    try {
      get_all(std::span(&read, 1));
    } catch (const Error& error) {
      if (!read.may_fail || error.kind() != ErrorKind::permission) throw;
      read.found.reset();
      read.failure = std::current_exception();
    }
  }
  static std::string inside(const std::string& archive, std::string_view key) {
    return key.empty() ? archive : fmt::format("{}!/{}", archive, key);
  }
  static std::string start_of(std::string_view prefix) {
    if (prefix.empty()) return "";
    check_key(prefix);
    return std::string(prefix) + "/";
  }
  static std::string state_of(const ZipMember& member) {
    return fmt::format("{:08x}-{}-{}", member.crc, member.size, member.header);
  }
  std::vector<ZipMember>::const_iterator first_below(std::string_view start) const {
    return std::ranges::lower_bound(directory_.members, start, {}, &ZipMember::name);
  }
  const ZipMember* find(std::string_view key) const {
    check_key(key);
    const auto at = first_below(key);
    if (at != directory_.members.end() && at->name == key) return &*at;
    const std::string start = start_of(key);
    const auto below = first_below(start);
    if ((below != directory_.members.end() && below->name.starts_with(start)) ||
        std::ranges::binary_search(directory_.folders, key))
      fail(ErrorKind::io, "{} is a folder, expected a file", describe(key));
    return nullptr;
  }
  [[noreturn]] void refuse(std::string_view key) const {
    fail(ErrorKind::unsupported, "{}: a zip archive is only read; `convert` writes new ones", describe(key));
  }

  std::shared_ptr<Store> store_;
  std::string key_;
  ZipDirectory directory_;
  ZipReads reader_;
};

std::optional<std::string> top_folder(const ZipStore& archive) {
  const std::vector<Entry> top = archive.list("");
  if (top.size() != 1 || !top[0].folder || top[0].name.starts_with("__")) return std::nullopt;
  return top[0].name;
}

}  // namespace

std::shared_ptr<Store> open_zip_store(std::shared_ptr<Store> store, std::string key,
                                      const std::optional<std::string>& inner) {
  auto archive = std::make_shared<ZipStore>(std::move(store), std::move(key));
  const std::string root = inner ? *inner : top_folder(*archive).value_or("");
  if (root.empty()) return archive;
  return sub_store(archive, root);
}

}  // namespace tegula
