#include "store/wrap/forgetting_store.h"

#include <gtest/gtest.h>

#include <vector>

#include "store/memory/memory_store.h"

namespace tegula {
namespace {

const auto kEverything = [](std::string_view) { return true; };
const auto kNothing = [](std::string_view) { return false; };

TEST(ForgettingStore, RemovalsComeBackUntilTheirFolderIsSynced) {
  for (const bool synced : {false, true}) {
    const auto inner = make_memory_store();
    const auto changes = std::make_shared<UnsyncedChanges>();
    const auto store = forgetting_store(inner, changes);
    store->put_text("d/f", "old");
    store->put_text("d/g", "kept");
    store->remove("d/f");
    EXPECT_FALSE(store->has("d/f"));
    EXPECT_EQ(changes->count(), 1u);
    if (synced) store->sync_folder("d");
    changes->cut_power(*inner, kEverything);
    EXPECT_EQ(inner->has("d/f"), !synced);
    EXPECT_TRUE(inner->has("d/g"));
  }
}

TEST(ForgettingStore, WhatWasInARemovedFolderStaysGone) {
  const auto inner = make_memory_store();
  const auto changes = std::make_shared<UnsyncedChanges>();
  const auto store = forgetting_store(inner, changes);
  store->put_text("d/f", "old");
  store->remove_tree("d");
  store->sync_folder("");
  store->put_text("d/g", "new");
  changes->cut_power(*inner, kEverything);
  EXPECT_FALSE(inner->has("d/f"));
  EXPECT_TRUE(inner->has("d/g"));
}

TEST(ForgettingStore, WhatIsPutIsDurable) {
  const auto inner = make_memory_store();
  const auto changes = std::make_shared<UnsyncedChanges>();
  const auto store = forgetting_store(inner, changes);
  store->put_text("f", "1");
  store->remove("f");
  store->put_text("f", "2");
  const auto upload = store->begin("g");
  upload->append(bytes_of("3"));
  upload->commit();
  changes->cut_power(*inner, kEverything);
  EXPECT_EQ(text_of(*inner->get("f")), "2");
  EXPECT_EQ(text_of(*inner->get("g")), "3");
}

TEST(ForgettingStore, UploadsThatAppearedMayVanishOrBeEmpty) {
  for (const bool synced : {false, true})
    for (const bool lost : {false, true}) {
      const auto inner = make_memory_store();
      const auto changes = std::make_shared<UnsyncedChanges>();
      const auto store = forgetting_store(inner, changes);
      const auto upload = store->begin("f");
      upload->append(bytes_of("bytes"));
      if (synced) upload->sync();
      upload->appear();
      EXPECT_EQ(text_of(*store->get("f")), "bytes");
      changes->cut_power(*inner, lost ? std::function<bool(std::string_view)>(kEverything) : kNothing);
      EXPECT_EQ(inner->has("f"), !lost);
      EXPECT_EQ(lost ? "" : text_of(*inner->get("f")), lost || !synced ? "" : "bytes");
    }
}

TEST(ForgettingStore, CommittedTogetherIsDurable) {
  const auto inner = make_memory_store();
  const auto changes = std::make_shared<UnsyncedChanges>();
  const auto store = forgetting_store(inner, changes);
  std::vector<std::unique_ptr<Upload>> uploads;
  for (const char* key : {"set/a", "set/b"}) {
    uploads.push_back(store->begin(key));
    uploads.back()->append(bytes_of(key));
  }
  commit_together(*store, "set", uploads, {});
  EXPECT_EQ(changes->count(), 0u);
  changes->cut_power(*inner, kEverything);
  EXPECT_EQ(text_of(*inner->get("set/b")), "set/b");
}

}  // namespace
}  // namespace tegula
