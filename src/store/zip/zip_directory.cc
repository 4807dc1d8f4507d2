#include "store/zip/zip_directory.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/cursor.h"
#include "base/fail.h"
#include "store/zip/zip_records.h"

namespace tegula {

namespace {

constexpr std::uint64_t kLongestComment = 65535;
constexpr std::uint16_t kEncrypted = 0x0001, kStronglyEncrypted = 0x0040, kMasked = 0x2000;

// What the records behind the directory say of it.
struct End {
  std::uint64_t entries = 0, size = 0, offset = 0;
  std::uint64_t directory_end = 0;  // where the first of these records begins
  bool large = false;               // has the records of 64 bits
};

// The last part of the archive, and bytes before it when they are asked for.
class ArchiveEnd {
 public:
  ArchiveEnd(const Store& store, std::string_view key, Tail tail)
      : store_(store), key_(key), tail_(std::move(tail)), name_(store.describe(key)) {}
  std::uint64_t size() const { return tail_.size; }
  std::uint64_t start() const { return tail_.size - tail_.bytes.size(); }
  ByteView tail() const { return tail_.bytes; }
  const std::string& name() const { return name_; }
  // [from, from + n), which lies within the archive.
  Bytes range(std::uint64_t from, std::uint64_t n) const {
    if (from >= start()) return copy_of(tail().subspan(from - start(), n));
    Bytes bytes(n);
    RangeRead read{key_, from, bytes};
    store_.get(std::span(&read, 1));
    if (!read.found) fail(ErrorKind::io, "{}: it was removed while it was read", name_);
    return bytes;
  }

 private:
  const Store& store_;
  std::string_view key_;
  Tail tail_;
  std::string name_;
};

[[noreturn]] void several_disks(const std::string& name) {
  fail(ErrorKind::unsupported, "{}: a zip archive of several disks; join its parts first (zip -s 0)", name);
}

// The end record reaches to the last byte of the archive with its comment.
std::optional<std::uint64_t> find_end(const ArchiveEnd& archive) {
  const ByteView tail = archive.tail();
  if (tail.size() < kEnd) return std::nullopt;
  for (std::size_t at = tail.size() - kEnd + 1; at-- > 0;)
    if (load_le<std::uint32_t>(tail.data() + at) == kEndSign &&
        load_le<std::uint16_t>(tail.data() + at + kEnd - 2) == tail.size() - at - kEnd)
      return archive.start() + at;
  return std::nullopt;
}

void read_large_end(const ArchiveEnd& archive, End& end, std::uint64_t end_at) {
  if (end_at < kLocator) return;
  const Bytes bytes = archive.range(end_at - kLocator, kLocator);
  Cursor locator(bytes, archive.name(), end_at - kLocator);
  if (locator.read<std::uint32_t>() != kLocatorSign) return;
  if (locator.read<std::uint32_t>() != 0) several_disks(archive.name());
  const auto claimed = locator.read<std::uint64_t>();
  if (locator.read<std::uint32_t>() > 1) several_disks(archive.name());
  // Where the locator says, or right before it: bytes in front of an archive move everything but the numbers.
  if (end_at - kLocator < kEnd64) locator.fail("there is no room for the zip64 end record");
  for (const std::uint64_t at : {claimed, end_at - kLocator - kEnd64}) {
    if (at > end_at - kLocator - kEnd64) continue;
    const Bytes record_bytes = archive.range(at, kEnd64);
    Cursor record(record_bytes, archive.name(), at);
    if (record.read<std::uint32_t>() != kEnd64Sign) continue;
    record.skip(8 + 2 + 2);
    if (record.read<std::uint32_t>() != 0 || record.read<std::uint32_t>() != 0) several_disks(archive.name());
    record.skip(8);
    end.entries = record.read<std::uint64_t>();
    end.size = record.read<std::uint64_t>();
    end.offset = record.read<std::uint64_t>();
    end.directory_end = at;
    end.large = true;
    return;
  }
  locator.fail("there is no zip64 end record at byte {}", claimed);
}

End read_end(const ArchiveEnd& archive) {
  const std::optional<std::uint64_t> at = find_end(archive);
  if (!at) fail(ErrorKind::corrupt, "{}: not a zip archive, or cut short: it has no end record", archive.name());
  const Bytes bytes = archive.range(*at, kEnd);
  Cursor record(bytes, archive.name(), *at);
  record.skip(4);
  const auto disk = record.read<std::uint16_t>(), first = record.read<std::uint16_t>();
  record.skip(2);
  End end;
  end.entries = record.read<std::uint16_t>();
  end.size = record.read<std::uint32_t>();
  end.offset = record.read<std::uint32_t>();
  end.directory_end = *at;
  read_large_end(archive, end, *at);
  if (!end.large && (disk != 0 || first != 0)) several_disks(archive.name());
  return end;
}

// The numbers of an entry that stand in its zip64 field.
void read_large(Cursor extra, ZipMember& member, bool& other_disk) {
  const bool large_size = member.size == kLarge32, large_stored = member.stored_size == kLarge32;
  const bool large_header = member.header == kLarge32;
  while (extra.remaining() >= 4) {
    const auto id = extra.read<std::uint16_t>(), length = extra.read<std::uint16_t>();
    Cursor field = extra.sub(length, "an extra field");
    if (id != kZip64Field) continue;
    if (large_size) member.size = field.read<std::uint64_t>();
    if (large_stored) member.stored_size = field.read<std::uint64_t>();
    if (large_header) member.header = field.read<std::uint64_t>();
    if (other_disk && field.remaining() >= 4) other_disk = field.read<std::uint32_t>() != 0;
    return;
  }
}

struct Collected {
  std::map<std::string, ZipMember, std::less<>> members;
  std::set<std::string, std::less<>> folders;
  std::vector<std::uint64_t> headers;
};

void check_name(const Cursor& at, std::string_view name) {
  if (name.find('\0') == std::string_view::npos && name.find('\\') == std::string_view::npos) {
    try {
      check_key(name);
      return;
    } catch (const Error&) {
    }
  }
  fail(ErrorKind::unsupported,
       "{}: the name '{}' in its directory is refused: names are relative, without empty parts, '.', '..' and '\\'",
       at.name(), name);
}

// One entry of the directory; false when it reaches beyond the bytes.
bool read_entry(Cursor& in, std::uint64_t directory, std::uint64_t shift, Collected& out) {
  if (in.remaining() < kEntry) return false;
  const std::uint64_t from = in.position();
  if (in.read<std::uint32_t>() != kEntrySign) in.fail("expected an entry of the zip directory");
  in.skip(2 + 2);
  const auto flags = in.read<std::uint16_t>(), method = in.read<std::uint16_t>();
  in.skip(4);
  ZipMember member;
  member.crc = in.read<std::uint32_t>();
  member.stored_size = in.read<std::uint32_t>();
  member.size = in.read<std::uint32_t>();
  const auto name_length = in.read<std::uint16_t>(), extra_length = in.read<std::uint16_t>();
  const auto comment_length = in.read<std::uint16_t>(), disk = in.read<std::uint16_t>();
  in.skip(2 + 4);
  member.header = in.read<std::uint32_t>();
  const std::uint64_t varies = std::uint64_t{name_length} + extra_length + comment_length;
  if (in.remaining() < varies) {
    in.seek(from);
    return false;
  }
  member.name = in.string(name_length, "a name");
  bool other_disk = disk != 0;
  read_large(in.sub(extra_length, "extra fields"), member, other_disk);
  in.skip(comment_length);
  if (other_disk) several_disks(in.name());

  const bool folder = !member.name.empty() && member.name.back() == '/';
  check_name(in, std::string_view(member.name).substr(0, member.name.size() - (folder ? 1 : 0)));
  if (member.header > directory - shift || directory - shift - member.header < kZipHeader)
    in.fail("member '{}' at byte {} does not lie before the directory at byte {}", member.name, member.header,
            directory);
  member.header += shift;
  out.headers.push_back(member.header);
  if (folder) {
    member.name.pop_back();
    out.folders.insert(std::move(member.name));
    return true;
  }
  if (flags & (kEncrypted | kStronglyEncrypted | kMasked))
    fail(ErrorKind::unsupported, "{}: member '{}' is encrypted", in.name(), member.name);
  if (method != static_cast<std::uint16_t>(ZipMethod::stored) &&
      method != static_cast<std::uint16_t>(ZipMethod::deflated))
    fail(ErrorKind::unsupported, "{}: member '{}' is packed by method {}; stored (0) and deflated (8) can be read",
         in.name(), member.name, method);
  member.method = static_cast<ZipMethod>(method);
  if (member.method == ZipMethod::stored && member.size != member.stored_size)
    in.fail("member '{}' is stored as it is, but its two sizes are {} and {}", member.name, member.stored_size,
            member.size);
  std::string name = member.name;
  out.members.insert_or_assign(std::move(name), std::move(member));
  return true;
}

// Where the bytes of each member end at the latest.
void set_ends(std::vector<ZipMember>& members, std::vector<std::uint64_t> headers, std::uint64_t directory,
              const std::string& name) {
  headers.push_back(directory);
  std::sort(headers.begin(), headers.end());
  for (ZipMember& member : members) {
    const auto next = std::upper_bound(headers.begin(), headers.end(), member.header);
    member.end = next == headers.end() ? directory : *next;
    const std::uint64_t room = member.end - member.header;
    if (room < kZipHeader || room - kZipHeader < member.name.size() ||
        room - kZipHeader - member.name.size() < member.stored_size)
      fail(ErrorKind::corrupt, "{}: member '{}' of {} bytes at byte {} reaches into what follows it at byte {}", name,
           member.name, member.stored_size, member.header, member.end);
  }
}

}  // namespace

ZipDirectory read_zip_directory(const Store& store, std::string_view key) {
  std::optional<Tail> tail = store.tail(key, kLongestComment + kEnd);
  if (!tail) fail(ErrorKind::not_found, "{}: there is no such file", store.describe(key));
  const ArchiveEnd archive(store, key, *std::move(tail));
  const End end = read_end(archive);
  // Bytes in front of the archive (a program that unpacks it) are not counted by its numbers.
  if (end.size > end.directory_end || end.offset > end.directory_end - end.size)
    fail(ErrorKind::corrupt, "{}: its directory of {} bytes at byte {} does not fit before its end record at byte {}",
         archive.name(), end.size, end.offset, end.directory_end);
  const std::uint64_t directory = end.directory_end - end.size, shift = directory - end.offset;

  // The directory is read in steps, so that a size that is a lie is found out before memory is taken for it.
  std::uint64_t step = 1 << 20;
  Collected collected;
  std::uint64_t entries = 0;
  Bytes bytes;
  for (std::uint64_t from = directory, parsed = directory; from < end.directory_end; step *= 4) {
    const std::uint64_t n = std::min(step, end.directory_end - from);
    const Bytes more = archive.range(from, n);
    from += n;
    bytes.insert(bytes.end(), more.begin(), more.end());
    Cursor in(bytes, archive.name(), parsed);
    while (!in.done() && read_entry(in, directory, shift, collected)) ++entries;
    if (from == end.directory_end && !in.done()) in.fail("the zip directory ends within an entry");
    parsed += in.position();
    bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(in.position()));
  }
  // Writers that know no zip64 let the count run over.
  if (end.large ? entries != end.entries : (entries & kLarge16) != end.entries)
    fail(ErrorKind::corrupt, "{}: its directory holds {} entries, its end record counts {}", archive.name(), entries,
         end.entries);

  ZipDirectory out;
  out.archive_size = archive.size();
  out.members.reserve(collected.members.size());
  for (auto& [name, member] : collected.members) out.members.push_back(std::move(member));
  out.folders.assign(collected.folders.begin(), collected.folders.end());
  set_ends(out.members, std::move(collected.headers), directory, archive.name());
  return out;
}

std::uint64_t check_zip_header(ByteView bytes, const ZipMember& member, const std::string& archive) {
  Cursor in(bytes, archive, member.header);
  if (in.read<std::uint32_t>() != kHeaderSign) in.fail("expected the header of member '{}'", member.name);
  in.skip(2);
  const auto flags = in.read<std::uint16_t>();
  const auto method = in.read<std::uint16_t>();
  if (method != static_cast<std::uint16_t>(member.method))
    in.fail("member '{}' is packed by method {}, its directory says {}", member.name, method,
            static_cast<std::uint16_t>(member.method));
  in.skip(4);
  const auto crc = in.read<std::uint32_t>();
  // A member that was written as a stream has it behind its bytes.
  constexpr std::uint16_t kBehind = 1 << 3;
  if (crc != 0 && !(flags & kBehind) && crc != member.crc)
    in.fail("member '{}' has the CRC-32 {:08x}, its directory says {:08x}", member.name, crc, member.crc);
  in.skip(4 + 4);
  const auto name_length = in.read<std::uint16_t>(), extra_length = in.read<std::uint16_t>();
  if (text_of(in.bytes(name_length, "a name")) != member.name)
    in.fail("expected the header of member '{}', found that of another one", member.name);
  const std::uint64_t start = kZipHeader + name_length + extra_length;
  if (start > member.end - member.header || member.stored_size > member.end - member.header - start)
    in.fail("member '{}' of {} bytes reaches into what follows it at byte {}", member.name, member.stored_size,
            member.end);
  return start;
}

}  // namespace tegula
