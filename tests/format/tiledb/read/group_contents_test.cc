#include "format/tiledb/read/group_contents.h"

#include <gtest/gtest.h>

#include "format/tiledb/disk/group_members.h"
#include "format/tiledb/filter/generic_tile.h"
#include "format/tiledb/hex.h"
#include "format/tiledb/listing/object_kind.h"
#include "store/memory/memory_store.h"
#include "support/expect_error.h"

namespace tegula::tiledb {
namespace {

using testing::hex;

GroupMember member(const std::string& uri, std::optional<std::string> name = std::nullopt, bool deleted = false) {
  GroupMember out;
  out.kind = ObjectKind::array;
  out.uri = uri;
  out.name = std::move(name);
  out.deleted = deleted;
  return out;
}

void put_group(Store& store, const std::string& name, const GroupDetails& group) {
  Bytes payload, file;
  encode_group(group, payload);
  encode_generic_tile(payload, 22, nullptr, file);
  store.put("__group/" + name, file);
}

std::string members(const Store& store, const TimeWindow& window = {}) {
  std::string text;
  for (const GroupMember& each : read_group(store, nullptr, window)) text += each.key() + " ";
  return text;
}

TEST(Groups, replay_in_version_2_and_snapshots_in_version_1) {
  const auto store = make_memory_store();
  const std::string uuid(32, 'a');
  put_group(*store, "__1_1_" + uuid + "_2", {2, {member("x"), member("y", "why")}});
  put_group(*store, "__2_2_" + uuid + "_2", {2, {member("x", std::nullopt, true), member("z")}});
  EXPECT_EQ(members(*store), "why z ");
  EXPECT_EQ(members(*store, {0, 1}), "why x ");
  put_group(*store, "__3_3_" + uuid, {1, {member("only")}});
  EXPECT_EQ(members(*store), "only ");
}

TEST(Groups, from_before_details_list_their_folders) {
  const auto store = make_memory_store();
  store->put_text("__tiledb_group.tdb", "");
  store->put_text("a/__array_schema.tdb", "");
  store->put_text("g/__tiledb_group.tdb", "");
  store->put_text("other/file", "");
  EXPECT_EQ(members(*store), "a g ");
  EXPECT_EQ(probe(*store), ObjectKind::group);
  EXPECT_ERROR(not_found, "not a TileDB group", members(*make_memory_store()));
}

TEST(Groups, damage_is_named) {
  const auto decode = [](const char* text) {
    const Bytes bytes = hex(text);
    decode_group(Cursor(bytes, "file"));
  };
  EXPECT_ERROR(unsupported, "version 3", decode("03000000"));
  EXPECT_ERROR(corrupt, "members", decode("02000000 ffffffffffffffff"));
  EXPECT_ERROR(unsupported, "member of version 7",
               decode("02000000 0100000000000000 07000000 02 01 0000000000000000 00 00"));
}

}  // namespace
}  // namespace tegula::tiledb
