// Conditions, enumerations, metadata, groups, consolidated footers: payloads of generic tiles.
#include <gtest/gtest.h>

#include "format/tiledb/disk/consolidated_footers.h"
#include "format/tiledb/disk/delete_condition.h"
#include "format/tiledb/disk/enumeration.h"
#include "format/tiledb/disk/group_members.h"
#include "format/tiledb/listing/object_kind.h"
#include "format/tiledb/read/group_contents.h"
#include "format/tiledb/read/metadata.h"
#include "hex.h"
#include "store/memory/memory_store.h"
#include "support/expect_error.h"

namespace tegula::tiledb {
namespace {

using testing::hex;
using testing::to_hex;

TEST(Condition, decodes_what_libtiledb_wrote) {
  // delete where a >= 203 and s != 'v50'
  const Bytes bytes =
      hex("00 01 0200000000000000 | 01 00 01000000 61 0400000000000000 cb000000 | 01 04 01000000 73 0300000000000000 "
          "763530");
  const StoredCondition condition = decode_condition(Cursor(bytes, "file"), false);
  EXPECT_EQ(condition.stays.kind, ConditionTree::Kind::any);
  ASSERT_EQ(condition.stays.children.size(), 2u);
  EXPECT_EQ(condition.stays.children[0].op, CompareOp::lt);
  EXPECT_EQ(condition.stays.children[1].field, "s");
  EXPECT_EQ(text_of(condition.stays.children[1].value), "v50");
  Bytes out;
  encode_condition(condition, false, out);
  EXPECT_EQ(to_hex(out), to_hex(bytes));
}

TEST(Condition, members_and_updates) {
  const Bytes bytes =
      hex("01 07 01000000 61 0800000000000000 65000000 66000000 1000000000000000 0000000000000000 0400000000000000"
          "0100000000000000 0100000000000000 61 0400000000000000 07000000");
  const StoredCondition condition = decode_condition(Cursor(bytes, "file"), true);
  EXPECT_EQ(condition.stays.op, CompareOp::not_in);
  EXPECT_EQ(condition.stays.offsets, (std::vector<std::uint64_t>{0, 4}));
  ASSERT_EQ(condition.updates.size(), 1u);
  EXPECT_EQ(condition.updates[0].field, "a");
  Bytes out;
  encode_condition(condition, true, out);
  EXPECT_EQ(to_hex(out), to_hex(bytes));
}

// libtiledb, 2.30 too, deletes cells that should stay when it finds an "or" within an "or"; it writes them joined.
TEST(Condition, nested_nodes_of_one_kind_are_joined) {
  const std::string a = "01 00 01000000 61 0100000000000000 05", b = "01 02 01000000 62 0100000000000000 06",
                    c = "01 04 01000000 63 0100000000000000 07";
  const std::pair<std::string, std::string> cases[] = {
      {"00 01 0200000000000000" + ("00 01 0200000000000000" + a + b) + c, "00 01 0300000000000000" + a + b + c},
      {"00 00 0200000000000000" + a + ("00 00 0200000000000000" + b + c), "00 00 0300000000000000" + a + b + c},
      {"00 01 0200000000000000" + a + ("00 00 0200000000000000" + b + c),
       "00 01 0200000000000000" + a + ("00 00 0200000000000000" + b + c)},
  };
  for (const auto& [given, stored] : cases) {
    const Bytes bytes = hex(given);
    Bytes out;
    encode_condition(decode_condition(Cursor(bytes, "file"), false), false, out);
    EXPECT_EQ(to_hex(out), to_hex(hex(stored)));
  }
}

TEST(Condition, damage_is_named) {
  const auto decode = [](const char* text) {
    const Bytes bytes = hex(text);
    decode_condition(Cursor(bytes, "file"), false);
  };
  EXPECT_ERROR(corrupt, "kind 2", decode("02"));
  EXPECT_ERROR(corrupt, "comparison 8", decode("01 08 00000000 0000000000000000"));
  EXPECT_ERROR(corrupt, "combination 2", decode("00 02 0000000000000000"));
  EXPECT_ERROR(corrupt, "conditions", decode("00 00 ffffffffffffffff"));
  EXPECT_ERROR(corrupt, "starts at", decode("01 06 00000000 0100000000000000 00 0800000000000000 0200000000000000"));
  Bytes deep;
  for (int i = 0; i < 100000; ++i) {
    const Bytes node = hex("00 00 0100000000000000");
    deep.insert(deep.end(), node.begin(), node.end());
  }
  EXPECT_ERROR(corrupt, "nested deeper", decode_condition(Cursor(deep, "file"), false));
}

TEST(EnumerationFile, decodes_what_libtiledb_wrote) {
  const Bytes bytes =
      hex("00000000 06000000 636f6c6f7273 03000000 5f5f30 0c ffffffff 01 0c00000000000000 726564677265656e626c7565"
          "1800000000000000 0000000000000000 0300000000000000 0800000000000000");
  const StoredEnumeration stored = decode_enumeration(Cursor(bytes, "file"));
  EXPECT_EQ(stored.file, "__0");
  EXPECT_EQ(stored.enumeration.name, "colors");
  EXPECT_TRUE(stored.enumeration.ordered);
  EXPECT_EQ(stored.enumeration.offsets, (std::vector<std::uint64_t>{0, 3, 8}));
  Bytes out;
  encode_enumeration(stored, out);
  EXPECT_EQ(to_hex(out), to_hex(bytes));
}

TEST(EnumerationFile, damage_is_named) {
  const auto decode = [](const char* text) {
    const Bytes bytes = hex(text);
    decode_enumeration(Cursor(bytes, "file"));
  };
  EXPECT_ERROR(unsupported, "version 1", decode("01000000"));
  EXPECT_ERROR(
      corrupt, "starts at 4",
      decode("00000000 00000000 00000000 0c ffffffff 00 0300000000000000 616263 0800000000000000 0400000000000000"));
  EXPECT_ERROR(corrupt, "multiple of 4", decode("00000000 00000000 00000000 00 01000000 00 0300000000000000 616263"));
}

void put_metadata(Store& store, const std::string& name, const std::vector<MetadataEntry>& entries) {
  Bytes payload, file;
  encode_metadata(entries, payload);
  encode_generic_tile(payload, 22, nullptr, file);
  store.put("__meta/" + name, file);
}

MetaValue number(std::int32_t value) {
  MetaValue out;
  out.type = TypeId::int32;
  out.count = 1;
  ByteWriter(out.data).put(value);
  return out;
}

TEST(ArrayMetadata, merges_by_time) {
  const auto store = make_memory_store();
  const std::string uuid(32, 'a');
  put_metadata(*store, "__10_10_" + uuid, {{"a", number(1)}, {"b", number(2)}});
  put_metadata(*store, "__20_20_" + uuid, {{"a", number(3)}, {"b", std::nullopt}, {"c", number(4)}});
  store->put_text("__meta/__30_30_" + uuid + ".tmp", "nonsense");
  const auto keys = [&](const TimeWindow& window) {
    std::string text;
    for (const auto& [key, value] : read_metadata(*store, nullptr, window))
      text += fmt::format("{}={} ", key, load_le<std::int32_t>(value.data.data()));
    return text;
  };
  EXPECT_EQ(keys({}), "a=3 c=4 ");
  EXPECT_EQ(keys({0, 19}), "a=1 b=2 ");
  EXPECT_EQ(keys({15, 30}), "a=3 c=4 ");
  put_metadata(*store, "__10_20_" + std::string(32, 'b'), {{"only", number(9)}});
  store->put_text("__meta/__10_20_" + std::string(32, 'b') + ".vac",
                  "/__meta/__10_10_" + uuid + "\n/__meta/__20_20_" + uuid + "\n");
  EXPECT_EQ(keys({}), "only=9 ");
  EXPECT_EQ(keys({0, 19}), "a=1 b=2 ");
}

TEST(ArrayMetadata, damage_is_named) {
  const auto decode = [](const char* text) {
    const Bytes bytes = hex(text);
    decode_metadata(Cursor(bytes, "file"));
  };
  EXPECT_ERROR(corrupt, "metadata key", decode("ff000000 61"));
  EXPECT_ERROR(corrupt, "datatype 44", decode("01000000 61 00 2c"));
  EXPECT_ERROR(corrupt, "metadata value", decode("01000000 61 00 01 ffffffff 00"));
}

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

TEST(Footers, are_found_by_name) {
  Bytes payload;
  const Bytes a = hex("01020304"), b = hex("0506");
  const std::pair<std::string, ByteView> all[] = {{"file:///x/__1_1_a_5", a}, {"__2_2_b_22", b}};
  encode_footers(all, payload);
  const auto footers = decode_footers(Cursor(payload, "file"));
  ASSERT_EQ(footers.size(), 2u);
  EXPECT_EQ(to_hex(footers.at("__1_1_a_5")), "01020304");
  EXPECT_EQ(to_hex(footers.at("__2_2_b_22")), "0506");
  const Bytes bad = hex("01000000 0100000000000000 61 ff00000000000000");
  EXPECT_ERROR(corrupt, "starts at byte 255", decode_footers(Cursor(bad, "file")));
}

}  // namespace
}  // namespace tegula::tiledb
