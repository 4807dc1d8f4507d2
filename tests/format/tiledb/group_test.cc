// Groups made and changed; a stop at every step leaves them as before or as after.
#include "format/tiledb/group.h"

#include <gtest/gtest.h>

#include "format/tiledb/disk/group_members.h"
#include "format/tiledb/listing/object_kind.h"
#include "format/tiledb/read/group_contents.h"
#include "format/tiledb/read/metadata.h"
#include "format/tiledb/write_support.h"
#include "store/open/open_store.h"
#include "store/wrap/failing_store.h"
#include "store/wrap/sub_store.h"
#include "support/expect_error.h"
#include "support/temp_folder.h"

namespace tegula::tiledb {
namespace {

using namespace writing;

Schema tiny() {
  return make_schema(true, {dimension("x", TypeId::int64, std::int64_t{0}, std::int64_t{9}, std::int64_t{10})},
                     {attribute("a", TypeId::int32)});
}

void make_member(const std::shared_ptr<Store>& store, const std::string& key) {
  create_array(sub_store(store, key), tiny(), {});
}

MetaValue text(std::string_view value) {
  return {TypeId::utf8, static_cast<std::uint32_t>(value.size()), copy_of(bytes_of(value)), false};
}

std::string state(const std::shared_ptr<Store>& store) {
  if (probe(*store) != ObjectKind::group) return "nothing";
  const TiledbGroup group(store, {});
  std::string out = "group";
  for (const GroupMember& member : read_group(*store, {}, {}))
    out += fmt::format(" {}->{}{}{}", member.key(), member.uri, member.relative ? " relative" : "",
                       member.kind == ObjectKind::group ? " group" : "");
  for (const auto& [key, value] : group.metadata()) out += fmt::format(" {}={}", key, text_of(value.data));
  return out;
}

TEST(Group, AddsRemovesAndReplaces) {
  const std::shared_ptr<Store> store = make_memory_store();
  const std::shared_ptr<Group> group = create_group(store, "tiledb", {});
  EXPECT_EQ(state(store), "group");
  make_member(store, "one");
  make_member(store, "deep/two");
  create_group(sub_store(store, "inner"), "tiledb", {});
  group->add("one");
  group->add("deep/two", "second");
  group->add("inner", "in");
  EXPECT_EQ(state(store), "group in->inner relative group one->one relative second->deep/two relative");
  EXPECT_ERROR(invalid_argument, "already", group->add("one"));
  EXPECT_ERROR(invalid_argument, "already", group->add("one", "second"));
  EXPECT_ERROR(not_found, "no TileDB array or group", group->add("nowhere"));
  EXPECT_ERROR(not_found, "no such member", group->remove("nowhere"));
  group->remove("one");
  group->remove("second");
  EXPECT_EQ(state(store), "group in->inner relative group");
  group->add("one", "second");
  EXPECT_EQ(state(store), "group in->inner relative group second->one relative");
  group->update_metadata({{"k", text("v")}, {"gone", text("x")}}, {});
  WriteOptions later;
  later.at = now_ms() + 5;
  group->update_metadata({{"gone", std::nullopt}}, later);
  EXPECT_EQ(group->metadata().size(), 1u);
  EXPECT_ERROR(invalid_argument, "empty", group->update_metadata({{"", text("v")}}, {}));
}

TEST(Group, ChangesOfOneMillisecondKeepTheirOrderAndTakeNoFutureTimes) {
  const std::shared_ptr<Store> store = make_memory_store();
  const std::shared_ptr<Group> group = create_group(store, "tiledb", {});
  make_member(store, "one");
  for (int i = 0; i < 50; ++i) {
    group->add("one");
    group->remove("one");
  }
  group->add("one", "last");
  EXPECT_EQ(state(store), "group last->one relative");
  const std::uint64_t now = now_ms();
  for (const Entry& entry : store->list(kGroupFolder)) EXPECT_LE(parse_timed_name(entry.name)->last, now);
  // Of a clock that goes ahead, and with a name behind which none of ours comes.
  const std::string ahead = make_timed_name(now + 5000, now + 5000, std::string(32, 'f'), 2);
  store->put(join(kGroupFolder, ahead), *store->get(join(kGroupFolder, store->list(kGroupFolder).back().name)));
  group->remove("last");
  EXPECT_EQ(state(store), "group");
}

TEST(Group, UrisBelowTheGroupAreRelative) {
  const testing::TempFolder folder;
  const std::string here = folder / "group";
  StoreOptions quick;
  quick.sync = false;
  const std::shared_ptr<Store> store = open_store(here, quick);
  const std::shared_ptr<Group> group = create_group(store, "tiledb", {});
  make_member(store, "sub/a");
  make_member(open_store(folder / "beside", quick), "b");
  const std::string beside = folder / "beside/b";
  group->add(here + "/sub/a", "path");
  group->add("file://" + here + "/sub/../sub/a/", "uri");
  group->add("sub/a", "key");
  group->add("sub/a", "far", true);
  group->add(beside, "out");
  group->add("file://" + beside);
  EXPECT_EQ(state(store), fmt::format("group far->file://{0}/sub/a file://{1}->file://{1} key->sub/a relative "
                                      "out->file://{1} path->sub/a relative uri->sub/a relative",
                                      here, beside));
  EXPECT_ERROR(invalid_argument, "itself", group->add(here));
  for (const Member& member : group->members()) EXPECT_EQ(probe(*open_store(member.uri)), ObjectKind::array);
}

TEST(Group, AddsToListsOfOldLibraries) {
  const std::shared_ptr<Store> store = make_memory_store();
  make_member(store, "a");
  make_member(store, "b");
  make_member(store, "c");
  // Before 2.8: no list at all.
  store->put(kGroupFile, ByteView());
  const std::shared_ptr<Group> group = std::make_shared<TiledbGroup>(store, OpenOptions{});
  group->remove("b");
  EXPECT_EQ(state(store), "group a->a relative c->c relative");
  // Until 2.14: the last file is the list.
  store->remove_tree(kGroupFolder);
  GroupDetails old;
  old.version = 1;
  for (const char* name : {"a", "b"}) {
    GroupMember member;
    member.version = 1;
    member.kind = ObjectKind::array;
    member.uri = name;
    old.members.push_back(member);
  }
  Bytes payload, file;
  encode_group(old, payload);
  encode_generic_tile(payload, 12, {}, file);
  store->put("__group/__5_5_" + make_uuid(), file);
  group->add("c");
  group->remove("a");
  EXPECT_EQ(state(store), "group b->b relative c->c relative");
}

TEST(Group, ListsOfNewerLibrariesAreRefusedByVersion) {
  const std::shared_ptr<Store> store = make_memory_store();
  store->put(kGroupFile, ByteView());
  GroupDetails newer;
  newer.version = 3;
  Bytes payload, file;
  encode_group(newer, payload);
  encode_generic_tile(payload, 22, {}, file);
  store->put("__group/__5_5_" + make_uuid(), file);
  EXPECT_ERROR(unsupported, "a group of version 3, this build reads 1 and 2", TiledbGroup(store, {}).members());
}

TEST(Group, RefusesAPlaceThatIsTaken) {
  const std::shared_ptr<Store> store = make_memory_store();
  create_array(store, tiny(), {});
  EXPECT_ERROR(invalid_argument, "already a TileDB array", create_group(store, "tiledb", {}));
  CreateOptions overwrite;
  overwrite.overwrite = true;
  create_group(store, "tiledb", overwrite);
  EXPECT_EQ(state(store), "group");
  store->put("other/file", bytes_of("x"));
  const std::shared_ptr<Store> other = sub_store(store, "other");
  EXPECT_ERROR(invalid_argument, "something else", create_group(other, "tiledb", overwrite));
}

TEST(Group, AStopLeavesBeforeOrAfter) {
  const auto prepare = [](const std::shared_ptr<Store>& store) {
    create_group(store, "tiledb", {});
    make_member(store, "a");
    make_member(store, "b");
    TiledbGroup(store, {}).add("a", "first", false);
  };
  using Change = std::function<void(const std::shared_ptr<Store>&)>;
  const std::pair<Change, Change> table[] = {
      {[](const auto&) {}, [](const auto& store) { create_group(store, "tiledb", {}); }},
      {prepare, [](const auto& store) { TiledbGroup(store, {}).add("b", "", false); }},
      {prepare, [](const auto& store) { TiledbGroup(store, {}).remove("first"); }},
      {prepare, [](const auto& store) { TiledbGroup(store, {}).update_metadata({{"k", text("v")}}, {}); }},
  };
  for (const auto& [before_it, change] : table) {
    const std::shared_ptr<Store> whole = make_memory_store();
    before_it(whole);
    const std::string before = state(whole);
    const auto count = std::make_shared<FaultPlan>();
    change(failing_store(whole, count));
    const std::string after = state(whole);
    EXPECT_NE(before, after);
    for (std::uint64_t at = 0; at < count->changes; ++at) {
      for (const bool done : {false, true}) {
        const std::shared_ptr<Store> store = make_memory_store();
        before_it(store);
        const auto plan = std::make_shared<FaultPlan>();
        plan->at = at;
        plan->done = done;
        EXPECT_ERROR(io, "", change(failing_store(store, plan)));
        const std::string found = state(store);
        EXPECT_TRUE(found == before || found == after) << "at change " << at << ": " << found;
        if (found != before) continue;
        change(store);
        EXPECT_EQ(state(store), after);
      }
    }
  }
}

}  // namespace
}  // namespace tegula::tiledb
