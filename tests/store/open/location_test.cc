#include "store/open/location.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "store/memory/memory_store.h"
#include "store/open/open_store.h"
#include "support/temp_folder.h"

namespace tegula {

namespace {

TEST(Location, FingerprintsChangeWithEveryWrite) {
  testing::TempFolder folder;
  for (const std::shared_ptr<Store>& store : {make_memory_store(), open_store(folder.path())}) {
    store->put_text("a/b", "1234");
    const std::uint64_t before = fingerprint(*store);
    EXPECT_EQ(fingerprint(*store), before);
    store->put_text("a/b", "4321");
    const std::uint64_t after = fingerprint(*store);
    EXPECT_NE(after, before);
    store->put_text(".tegula-unfinished", "x");
    EXPECT_EQ(fingerprint(*store), after);
    store->put_text("a/c", "");
    EXPECT_NE(fingerprint(*store), after);
  }
}

TEST(Location, OverlapFollowsLinks) {
  testing::TempFolder folder;
  open_store(folder / "a")->put_text("x", "1");
  std::filesystem::create_directory_symlink(folder / "a", folder / "link");
  const auto overlaps = [&](const std::string& left, const std::string& right) {
    const bool there = overlap(*open_store(left), *open_store(right));
    EXPECT_EQ(overlap(*open_store(right), *open_store(left)), there) << left << " " << right;
    return there;
  };
  EXPECT_TRUE(overlaps(folder / "a", folder / "link"));
  EXPECT_TRUE(overlaps(folder / "a", "file://" + folder / "a/"));
  EXPECT_TRUE(overlaps(folder / "a/b/c", folder / "link/b"));
  EXPECT_FALSE(overlaps(folder / "a", folder / "a2"));
  EXPECT_FALSE(overlaps(folder / "a/b", folder / "a/c"));
  EXPECT_FALSE(overlap(*make_memory_store(), *make_memory_store()));
}

}  // namespace

}  // namespace tegula
