#include "store/zip/zip_writer.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

#include "base/fail.h"
#include "codec/checksum/checksum.h"
#include "store/zip/zip_encode.h"

namespace tegula {

namespace {

// A piece of scratch room.
struct Piece {
  std::uint64_t at = 0, size = 0;
};

struct File {
  std::vector<Piece> pieces;
  std::uint64_t size = 0;
  std::uint64_t place = 0;   // among the members
  std::uint64_t change = 0;  // the number of the change that wrote it
};

class NewArchive final : public ZipWriter {
 public:
  NewArchive(std::shared_ptr<Store> store, std::string key)
      : store_(std::move(store)), key_(std::move(key)), room_(store_->scratch()) {}

  using Store::get;
  std::optional<Bytes> get(std::string_view key) const override {
    const std::optional<File> file = find(key);
    if (!file) return std::nullopt;
    Bytes bytes(file->size);
    read(*file, 0, bytes);
    return bytes;
  }
  void get(std::span<RangeRead> reads) const override {
    for (RangeRead& wanted : reads) {
      const std::optional<File> file = find(wanted.key);
      wanted.found = file.has_value();
      if (!file) continue;
      if (wanted.offset > file->size || wanted.into.size() > file->size - wanted.offset)
        fail(ErrorKind::corrupt, "{}: expected {} bytes at byte {}, found {} bytes in all", describe(wanted.key),
             wanted.into.size(), wanted.offset, file->size);
      read(*file, wanted.offset, wanted.into);
    }
  }
  std::optional<Tail> tail(std::string_view key, std::uint64_t most) const override {
    const std::optional<File> file = find(key);
    if (!file) return std::nullopt;
    Tail tail{Bytes(std::min(most, file->size)), file->size};
    read(*file, file->size - tail.bytes.size(), tail.bytes);
    return tail;
  }
  std::optional<std::uint64_t> size(std::string_view key) const override {
    const std::optional<File> file = find(key);
    return file ? std::optional(file->size) : std::nullopt;
  }
  std::vector<Entry> list(std::string_view prefix) const override {
    const std::string start = start_of(prefix);
    std::vector<Entry> out;
    const std::lock_guard lock(mutex_);
    for (auto at = files_.lower_bound(start); at != files_.end() && at->first.starts_with(start); ++at) {
      const std::string_view rest = std::string_view(at->first).substr(start.size());
      const std::size_t slash = rest.find('/');
      const bool folder = slash != std::string_view::npos;
      std::string name(rest.substr(0, slash));
      if (folder && !out.empty() && out.back().name == name) continue;
      out.push_back({std::move(name), folder, folder ? 0 : at->second.size});
    }
    std::ranges::sort(out, {}, &Entry::name);
    return out;
  }
  Listing list_all(std::string_view prefix, std::size_t most) const override {
    const std::string start = start_of(prefix);
    Listing listing;
    const std::lock_guard lock(mutex_);
    for (auto at = files_.lower_bound(start); at != files_.end() && at->first.starts_with(start); ++at) {
      if (listing.files.size() == most) {
        listing.complete = false;
        break;
      }
      listing.files.push_back({at->first, at->second.size, std::to_string(at->second.change)});
    }
    return listing;
  }
  StatedFile get_stated(std::string_view key) const override {
    const std::optional<File> file = find(key);
    if (!file) return {};
    Bytes bytes(file->size);
    read(*file, 0, bytes);
    return {std::move(bytes), std::to_string(file->change)};
  }

  using Store::put;
  void put(std::string_view key, std::span<const ByteView> parts) override { place(key, written(parts)); }
  bool put_if(std::string_view key, std::span<const ByteView> parts, const std::string& state) override {
    return place(key, written(parts), &state);
  }
  std::unique_ptr<Upload> begin(std::string_view key) override {
    check_key(key);
    return std::make_unique<MemberUpload>(*this, std::string(key));
  }
  std::unique_ptr<Scratch> scratch() override { return store_->scratch(); }
  using Store::remove;
  void remove(std::string_view key) override {
    check_key(key);
    const std::lock_guard lock(mutex_);
    if (const auto file = files_.find(key); file != files_.end()) files_.erase(file);
  }
  // Archives need no entries for folders.
  void make_folder(std::string_view key) override { check_key(key); }
  void sync_folder(std::string_view) override {}

  StoreHints hints() const override {
    StoreHints hints;
    hints.empty_folders = false;
    return hints;
  }
  std::string describe(std::string_view key) const override {
    const std::string archive = store_->describe(key_);
    return key.empty() ? archive : fmt::format("{}!/{}", archive, key);
  }
  std::string uri(std::string_view key) const override { return fmt::format("zip://{}!/{}", store_->uri(key_), key); }
  std::string identity() const override { return fmt::format("{}/{}!", store_->identity(), key_); }

  void finish(const Work& work) override;

 private:
  class MemberUpload final : public Upload {
   public:
    MemberUpload(NewArchive& archive, std::string key) : archive_(archive), key_(std::move(key)) {}
    void append(ByteView part) override { archive_.write(part, file_); }
    void commit() override { archive_.place(key_, std::move(file_)); }
    void sync() override {}
    void appear() override { commit(); }
    bool appear_if(const std::string& state) override { return archive_.place(key_, std::move(file_), &state); }

   private:
    NewArchive& archive_;
    std::string key_;
    File file_;
  };

  static std::string start_of(std::string_view prefix) {
    if (prefix.empty()) return "";
    check_key(prefix);
    return std::string(prefix) + "/";
  }

  void write(ByteView bytes, File& file) {
    if (bytes.empty()) return;
    const std::uint64_t at = used_.fetch_add(bytes.size());
    room_->write(at, bytes);
    file.pieces.push_back({at, bytes.size()});
    file.size += bytes.size();
  }
  File written(std::span<const ByteView> parts) {
    File file;
    for (const ByteView part : parts) write(part, file);
    return file;
  }
  void read(const File& file, std::uint64_t offset, MutableBytes into) const {
    for (const Piece& piece : file.pieces) {
      if (into.empty()) return;
      if (offset >= piece.size) {
        offset -= piece.size;
        continue;
      }
      const std::uint64_t n = std::min<std::uint64_t>(piece.size - offset, into.size());
      room_->read(piece.at + offset, into.first(n));
      into = into.subspan(n);
      offset = 0;
    }
  }

  // False when `state` is given and is not that of the file.
  bool place(std::string_view key, File file, const std::string* state = nullptr) {
    check_key(key);
    const std::lock_guard lock(mutex_);
    check_place(key);
    const auto old = files_.find(key);
    if (state && *state != (old == files_.end() ? std::string() : std::to_string(old->second.change))) return false;
    file.change = ++changes_;
    file.place = old == files_.end() ? file.change : old->second.place;
    files_.insert_or_assign(std::string(key), std::move(file));
    return true;
  }
  // A member is a file or a folder of others, not both.
  void check_place(std::string_view key) const {
    if (is_folder(key)) fail(ErrorKind::io, "{} is a folder", describe(key));
    for (std::size_t slash = key.find('/'); slash != std::string_view::npos; slash = key.find('/', slash + 1))
      if (files_.contains(key.substr(0, slash)))
        fail(ErrorKind::io, "{} is a file, expected a folder", describe(key.substr(0, slash)));
  }
  bool is_folder(std::string_view key) const {
    const std::string start = start_of(key);
    const auto below = files_.lower_bound(start);
    return below != files_.end() && below->first.starts_with(start);
  }
  std::optional<File> find(std::string_view key) const {
    check_key(key);
    const std::lock_guard lock(mutex_);
    const auto at = files_.find(key);
    if (at != files_.end()) return at->second;
    if (is_folder(key)) fail(ErrorKind::io, "{} is a folder, expected a file", describe(key));
    return std::nullopt;
  }

  std::shared_ptr<Store> store_;
  std::string key_;
  std::unique_ptr<Scratch> room_;
  std::atomic<std::uint64_t> used_{0};
  mutable std::mutex mutex_;
  std::map<std::string, File, std::less<>> files_;
  std::uint64_t changes_ = 0;
};

// The checksum stands in front of a member, so it is read twice.
void NewArchive::finish(const Work& work) {
  constexpr std::uint64_t kBlock = 1 << 20;
  std::vector<const std::pair<const std::string, File>*> order;
  for (const auto& file : files_) order.push_back(&file);
  std::ranges::sort(order, {}, [](const auto* file) { return file->second.place; });
  const std::unique_ptr<Upload> upload = store_->begin(key_);
  ZipEncoder encoder;
  Bytes block;
  const auto each_block = [&](const File& file, const auto& take) {
    for (std::uint64_t done = 0; done < file.size; done += block.size()) {
      work.check();
      block.resize(std::min(kBlock, file.size - done));
      read(file, done, block);
      take(block);
    }
  };
  for (const auto* file : order) {
    std::uint32_t crc = 0;
    each_block(file->second, [&](ByteView bytes) { crc = codec::crc32(bytes, crc); });
    upload->append(encoder.begin_member(file->first, file->second.size, crc));
    if (file->second.size <= kBlock)
      upload->append(ByteView(block).first(file->second.size));
    else
      each_block(file->second, [&](ByteView bytes) { upload->append(bytes); });
  }
  upload->append(encoder.end());
  upload->commit();
}

}  // namespace

std::shared_ptr<ZipWriter> zip_writer(std::shared_ptr<Store> store, std::string key) {
  check_key(key);
  return std::make_shared<NewArchive>(std::move(store), std::move(key));
}

}  // namespace tegula
