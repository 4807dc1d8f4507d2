#include "format/tiledb/read/group_contents.h"

#include <algorithm>
#include <map>

#include "base/fail.h"
#include "format/tiledb/listing/object_kind.h"
#include "format/tiledb/read/metadata.h"

namespace tegula::tiledb {

namespace {

std::vector<GroupMember> list_folders(const Store& store) {
  std::vector<GroupMember> members;
  for (const Entry& entry : store.list("")) {
    if (!entry.folder || entry.name.starts_with("__")) continue;
    GroupMember member;
    member.uri = entry.name;
    member.kind = probe(store.list(entry.name));
    if (member.kind != ObjectKind::none) members.push_back(std::move(member));
  }
  return members;
}

}  // namespace

std::vector<GroupMember> read_group(const Store& store, const Key& key, const TimeWindow& window) {
  const std::vector<Entry> root = store.list("");
  const auto has = [&](std::string_view name) {
    return std::any_of(root.begin(), root.end(), [&](const Entry& entry) { return entry.name == name; });
  };
  if (!has(kGroupFolder)) {
    if (!has(kGroupFile))
      fail(ErrorKind::not_found, "{}: no __group and no __tiledb_group.tdb: not a TileDB group", store.describe(""));
    return list_folders(store);
  }
  std::map<std::string, GroupMember> members;
  for (const std::string& file : timed_files(store, kGroupFolder, window)) {
    const std::optional<Bytes> bytes = store.get(file);
    if (!bytes) fail(ErrorKind::io, "{}: listed, but gone when read; open the group again", store.describe(file));
    Cursor in(*bytes, store.describe(file));
    const GenericTile tile = decode_generic_tile(in, key);
    GroupDetails group = decode_group(Cursor(tile.payload, store.describe(file) + " (unpacked)"));
    if (group.version == 1) members.clear();
    for (GroupMember& member : group.members) {
      if (member.deleted) {
        members.erase(member.key());
      } else {
        members.insert_or_assign(member.key(), std::move(member));
      }
    }
  }
  std::vector<GroupMember> result;
  for (auto& [name, member] : members) result.push_back(std::move(member));
  return result;
}

}  // namespace tegula::tiledb
