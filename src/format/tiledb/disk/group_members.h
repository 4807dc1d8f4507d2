// The details file of a group: a list of members (version 1) or of changes to it (version 2).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/cursor.h"
#include "tegula/array.h"

namespace tegula::tiledb {

struct GroupMember {
  std::uint32_t version = 2;
  ObjectKind kind = ObjectKind::none;
  bool relative = true;
  std::string uri;
  std::optional<std::string> name;
  bool deleted = false;  // version 2
  const std::string& key() const { return name ? *name : uri; }
};

struct GroupDetails {
  std::uint32_t version = 2;
  std::vector<GroupMember> members;
};

// The payload of a generic tile.
GroupDetails decode_group(Cursor in);
void encode_group(const GroupDetails& group, Bytes& out);

}  // namespace tegula::tiledb
