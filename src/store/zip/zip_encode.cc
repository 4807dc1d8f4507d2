#include "store/zip/zip_encode.h"

#include <algorithm>

#include "base/cursor.h"
#include "base/fail.h"
#include "store/zip/zip_records.h"

namespace tegula {

namespace {

constexpr std::uint16_t kVersion = 20, kZip64Version = 45;
constexpr std::uint16_t kUnix = 3 << 8;  // who made it: the permissions below are Unix's
constexpr std::uint32_t kPermissions = 0100644u << 16;
constexpr std::uint16_t kUtf8Names = 0x0800;
constexpr std::uint16_t kTime = 0, kDate = 0x0021;  // 1980-01-01, the first there is

std::uint32_t small(std::uint64_t number) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(number, kLarge32));
}
bool large(std::uint64_t number) { return number >= kLarge32; }

}  // namespace

ByteView ZipEncoder::begin_member(std::string_view name, std::uint64_t size, std::uint32_t crc) {
  if (name.size() > kLarge16)
    fail(ErrorKind::unsupported, "the name '{}...' has {} bytes; zip allows 65535", name.substr(0, 80), name.size());
  const bool ascii = std::ranges::all_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  const auto common = [&](ByteWriter& out, bool zip64) {
    out.put<std::uint16_t>(zip64 ? kZip64Version : kVersion);
    out.put<std::uint16_t>(ascii ? 0 : kUtf8Names);
    out.put<std::uint16_t>(0);  // stored
    out.put<std::uint16_t>(kTime);
    out.put<std::uint16_t>(kDate);
    out.put<std::uint32_t>(crc);
    out.put<std::uint32_t>(small(size));
    out.put<std::uint32_t>(small(size));
    out.put<std::uint16_t>(static_cast<std::uint16_t>(name.size()));
  };
  const auto sizes = [&](ByteWriter& out) {
    if (!large(size)) return;
    out.put<std::uint64_t>(size);
    out.put<std::uint64_t>(size);
  };

  header_.clear();
  ByteWriter header(header_);
  header.put<std::uint32_t>(kHeaderSign);
  common(header, large(size));
  header.put<std::uint16_t>(large(size) ? 4 + 16 : 0);
  header.text(name);
  if (large(size)) {
    header.put<std::uint16_t>(kZip64Field);
    header.put<std::uint16_t>(16);
    sizes(header);
  }

  const auto field = static_cast<std::uint16_t>((large(size) ? 16 : 0) + (large(at_) ? 8 : 0));
  ByteWriter entry(directory_);
  entry.put<std::uint32_t>(kEntrySign);
  entry.put<std::uint16_t>(kUnix | (field != 0 ? kZip64Version : kVersion));
  common(entry, field != 0);
  entry.put<std::uint16_t>(static_cast<std::uint16_t>(field != 0 ? 4 + field : 0));
  entry.put<std::uint16_t>(0);  // comment
  entry.put<std::uint16_t>(0);  // disk
  entry.put<std::uint16_t>(0);  // kind of its bytes
  entry.put<std::uint32_t>(kPermissions);
  entry.put<std::uint32_t>(small(at_));
  entry.text(name);
  if (field != 0) {
    entry.put<std::uint16_t>(kZip64Field);
    entry.put<std::uint16_t>(field);
    sizes(entry);
    if (large(at_)) entry.put<std::uint64_t>(at_);
  }
  at_ += header_.size() + size;
  ++entries_;
  return header_;
}

ByteView ZipEncoder::end() {
  const std::uint64_t size = directory_.size();
  ByteWriter out(directory_);
  if (entries_ >= kLarge16 || large(size) || large(at_)) {
    out.put<std::uint32_t>(kEnd64Sign);
    out.put<std::uint64_t>(kEnd64 - 12);
    out.put<std::uint16_t>(kUnix | kZip64Version);
    out.put<std::uint16_t>(kZip64Version);
    out.put<std::uint32_t>(0);
    out.put<std::uint32_t>(0);
    out.put<std::uint64_t>(entries_);
    out.put<std::uint64_t>(entries_);
    out.put<std::uint64_t>(size);
    out.put<std::uint64_t>(at_);
    out.put<std::uint32_t>(kLocatorSign);
    out.put<std::uint32_t>(0);
    out.put<std::uint64_t>(at_ + size);
    out.put<std::uint32_t>(1);
  }
  const auto entries = static_cast<std::uint16_t>(std::min<std::uint64_t>(entries_, kLarge16));
  out.put<std::uint32_t>(kEndSign);
  out.put<std::uint16_t>(0);
  out.put<std::uint16_t>(0);
  out.put<std::uint16_t>(entries);
  out.put<std::uint16_t>(entries);
  out.put<std::uint32_t>(small(size));
  out.put<std::uint32_t>(small(at_));
  out.put<std::uint16_t>(0);
  return directory_;
}

}  // namespace tegula
