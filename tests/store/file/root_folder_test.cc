#include "store/file/root_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "store/file/file_store.h"
#include "support/temp_folder.h"

namespace tegula {
namespace {

TEST(RootFolder, NamesAreKeptInTheFolderAround) {
  EXPECT_EQ(folder_around("a/b"), "a");
  EXPECT_EQ(folder_around("a"), ".");
  EXPECT_EQ(folder_around("/a"), "/");
  EXPECT_EQ(folder_around("/a/b"), "/a");
  EXPECT_EQ(folder_around("."), ".");
}

// A new folder whose name is not synced is lost in a power cut, wherever it is made.
TEST(RootFolder, ANewFolderInTheCurrentOneIsSynced) {
  const testing::TempFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  std::vector<std::string> synced;
  StoreOptions options;
  options.before_step = [&](std::string_view step, std::string_view key) {
    if (step == "sync folder") synced.emplace_back(key);
  };
  open_file_store("arr", options)->put_text("f", "x");
  EXPECT_EQ(synced, (std::vector<std::string>{"arr", "f"}));
  synced.clear();
  open_file_store("a/b", options)->put_text("c/f", "x");
  EXPECT_EQ(synced, (std::vector<std::string>{"a", "a/b", "c", "c/f"}));
  std::filesystem::current_path(before);
}

TEST(RootFolder, MayBeReplacedWhileItIsOpen) {
  const testing::TempFolder folder;
  const auto store = open_file_store(folder / "a");
  store->put_text("f", "old");
  std::filesystem::rename(folder / "a", folder / "aside");
  EXPECT_EQ(store->get("f"), std::nullopt);
  store->put_text("f", "new");
  EXPECT_EQ(text_of(*store->get("f")), "new");
  EXPECT_EQ(text_of(*open_file_store(folder / "aside")->get("f")), "old");
}

}  // namespace
}  // namespace tegula
