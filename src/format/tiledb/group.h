// Groups: a list of members, kept as snapshots or changes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/cursor.h"
#include "format/tiledb/disk/names.h"
#include "format/tiledb/filter/generic_tile.h"
#include "store/store.h"
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

// One level: members are not opened, so a group that holds itself is no trouble. Groups from before 2.8 list their
// sub-folders.
std::vector<GroupMember> read_group(const Store& store, const Key& key, const TimeWindow& window);

// What the folder of a store holds: one listing.
ObjectKind probe(const Store& store);
ObjectKind probe(const std::vector<Entry>& listing);

}  // namespace tegula::tiledb
