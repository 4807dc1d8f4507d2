// The directory at the end of a zip archive: which members it holds, and where.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "store/store.h"

namespace tegula {

enum class ZipMethod : std::uint16_t { stored = 0, deflated = 8 };

// As the directory describes it. Nothing of it is to be believed before the member's own bytes are there; reading
// checks them against it.
struct ZipMember {
  std::string name;               // a valid key
  std::uint64_t header = 0;       // where its local header begins
  std::uint64_t end = 0;          // where the next header or the directory begins
  std::uint64_t stored_size = 0;  // in the archive
  std::uint64_t size = 0;         // once decoded
  std::uint32_t crc = 0;          // of the decoded bytes
  ZipMethod method = ZipMethod::stored;
};

struct ZipDirectory {
  std::vector<ZipMember> members;    // sorted by name; of those with one name the last in the directory
  std::vector<std::string> folders;  // those with an entry of their own, sorted
  std::uint64_t archive_size = 0;
};

// Reads the directory of the archive `key`: its tail, and the rest of a directory that is longer. Throws not_found when
// there is no such file, corrupt for damage, and unsupported for what is refused: encryption, methods other than stored
// and deflated, archives of several disks, names that are no keys. Memory is bounded by the bytes that are really
// there.
ZipDirectory read_zip_directory(const Store& store, std::string_view key);

// A local header stands before the bytes of each member: so much, the name, and an extra field whose length only the
// header tells.
inline constexpr std::uint64_t kZipHeader = 30;
// Where the bytes of the member begin, counted from its header, with which `bytes` begin: at least kZipHeader and the
// name. Throws corrupt when this is not the header of that member.
std::uint64_t check_zip_header(ByteView bytes, const ZipMember& member, const std::string& archive);

}  // namespace tegula
