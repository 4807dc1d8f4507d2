#include "store/file/folder_swap.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <vector>

#include "base/fail.h"
#include "store/file/file_store.h"
#include "support/expect_error.h"
#include "support/temp_folder.h"

namespace tegula {
namespace {

namespace fs = std::filesystem;

std::string text_at(const std::string& path) {
  const std::shared_ptr<Store> store = open_file_store(path);
  store->recover();
  const std::optional<Bytes> bytes = store->get("f");
  return bytes ? std::string(text_of(*bytes)) : "nothing";
}

void put(Store& store, const char* text) {
  store.put_text("deep/g", text);
  store.put_text("f", text);
}

// Stopped before any step, with file systems that exchange names and with others: the old folder or the new one, each
// whole, and the next replacement works.
TEST(FolderSwap, EveryStepIsSafeToDieAt) {
  for (const bool exchanges : {true, false}) {
    bool ended = false;
    for (int die_at = 0; !ended; ++die_at) {
      ASSERT_LT(die_at, 50);
      const testing::TempFolder folder;
      const std::string path = folder / "a";
      put(*open_file_store(path), "old");
      fs::permissions(path, fs::perms::owner_all | fs::perms::group_read);
      int steps = 0;
      StoreOptions options;
      options.exchanges = exchanges;
      options.before_step = [&](std::string_view step, std::string_view) {
        if (steps++ == die_at) fail(ErrorKind::io, "died before {}", step);
      };
      try {
        const std::unique_ptr<Replacement> replacement = open_file_store(path, options)->replacement();
        replacement->clear();
        put(*replacement->store(), "new");
        replacement->take_place({});
        ended = true;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::io) << error.what();
      }
      const std::string found = text_at(path);
      EXPECT_TRUE(found == "new" || (found == "old" && !ended)) << exchanges << die_at << found;
      EXPECT_EQ(found, text_of(*open_file_store(path)->get("deep/g"))) << "each is whole";
      EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all | fs::perms::group_read);
      const std::unique_ptr<Replacement> next = open_file_store(path)->replacement();
      next->clear();
      put(*next->store(), "newer");
      next->take_place({});
      EXPECT_EQ(text_at(path), "newer");
      EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1) << "nothing is left beside it";
    }
  }
}

TEST(FolderSwap, SomebodyElseIsNotDisturbed) {
  const testing::TempFolder folder;
  const std::string path = folder / "a";
  put(*open_file_store(path), "old");
  {
    const std::unique_ptr<Replacement> first = open_file_store(path)->replacement();
    put(*first->store(), "new");
    EXPECT_ERROR(io, "being overwritten by somebody else", open_file_store(path)->replacement());
  }
  const std::unique_ptr<Replacement> second = open_file_store(path)->replacement();
  EXPECT_EQ(text_of(*second->store()->get("f")), "new") << "what an earlier one left can be gone on with";
  second->discard();
  EXPECT_EQ(text_at(path), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
}

TEST(FolderSwap, LinksKeepLeadingToIt) {
  const testing::TempFolder folder;
  put(*open_file_store(folder / "a"), "old");
  fs::create_directory_symlink("a", folder / "link");
  put(*open_file_store(folder / "outside"), "mine");
  fs::create_directory_symlink("../outside", folder / "a/way");
  const std::unique_ptr<Replacement> replacement = open_file_store(folder / "link/")->replacement();
  put(*replacement->store(), "new");
  replacement->take_place({});
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(text_at(folder / "link"), "new");
  EXPECT_EQ(text_at(folder / "a"), "new");
  EXPECT_EQ(text_at(folder / "outside"), "mine") << "removals do not follow links";
}

TEST(FolderSwap, NotFromInside) {
  const testing::TempFolder folder;
  put(*open_file_store(folder / "a"), "old");
  const fs::path before = fs::current_path();
  fs::current_path(folder / "a/deep");
  EXPECT_ERROR(invalid_argument, "the current folder", open_file_store(folder / "a")->replacement());
  EXPECT_ERROR(invalid_argument, "the current folder", open_file_store(".")->replacement());
  fs::current_path(before);
  EXPECT_EQ(text_at(folder / "a"), "old");
}

// What a removal that was stopped left of the old folder does not come back when the new one is removed by hand.
TEST(FolderSwap, OldFoldersDoNotComeBack) {
  const testing::TempFolder folder;
  put(*open_file_store(folder / ".tegula-replace-a/old"), "old");
  EXPECT_FALSE(open_file_store(folder / "a")->recover());
  EXPECT_FALSE(fs::exists(folder / "a"));
}

}  // namespace
}  // namespace tegula
