#include "store/file/file_store.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>

#include "base/fail.h"
#include "store/open/open_store.h"
#include "support/expect_error.h"
#include "support/temp_folder.h"

namespace tegula {
namespace {

namespace fs = std::filesystem;

TEST(FileStore, LinksMayNotLeadOutside) {
  const testing::TempFolder folder;
  fs::create_directories(folder / "array/inside");
  std::ofstream(folder / "secret") << "secret";
  std::ofstream(folder / "array/inside/file") << "fine";
  fs::create_symlink("../secret", folder / "array/out");
  fs::create_symlink(folder / "secret", folder / "array/absolute");
  fs::create_symlink("inside", folder / "array/in");
  fs::create_symlink("loop", folder / "array/loop");
  fs::create_symlink("gone", folder / "array/dangling");
  const auto store = open_file_store(folder / "array");
  EXPECT_ERROR(permission, "leads outside", store->get("out"));
  EXPECT_ERROR(permission, "leads outside", store->get("absolute"));
  EXPECT_ERROR(permission, "in circles", store->get("loop"));
  EXPECT_EQ(text_of(*store->get("in/file")), "fine");
  EXPECT_EQ(store->get("dangling"), std::nullopt);
  StoreOptions follow;
  follow.follow_links = true;
  EXPECT_EQ(text_of(*open_file_store(folder / "array", follow)->get("out")), "secret");
}

TEST(FileStore, FlatListingsDoNotFollowLinksInCircles) {
  const testing::TempFolder folder;
  fs::create_directories(folder / "array/inside/deeper");
  std::ofstream(folder / "array/inside/file") << "fine";
  fs::create_symlink("..", folder / "array/inside/up");
  fs::create_symlink("../..", folder / "array/inside/deeper/top");
  fs::create_symlink("inside", folder / "array/other");
  std::string keys;
  for (const ListedFile& file : open_file_store(folder / "array")->list_all("").files) keys += file.key + " ";
  EXPECT_EQ(keys, "inside/file other/file ");
}

TEST(FileStore, TheRootItselfMayBeALink) {
  const testing::TempFolder folder;
  fs::create_directories(folder / "real");
  std::ofstream(folder / "real/file") << "x";
  fs::create_symlink("real", folder / "link");
  EXPECT_EQ(text_of(*open_store("file://" + (folder / "link/"))->get("file")), "x");
}

TEST(FileStore, SpecialFilesAreErrorsNotHangs) {
  const testing::TempFolder folder;
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  EXPECT_ERROR(io, "special file", open_file_store(folder.path())->get("fifo"));
}

TEST(FileStore, NamesTooLong) {
  const testing::TempFolder folder;
  EXPECT_ERROR(invalid_argument, "too long", open_file_store(folder.path())->put_text(std::string(300, 'n'), "x"));
}

// Root is never refused anything, so it becomes another user for a while.
class Nobody {
 public:
  Nobody() : was_root_(::geteuid() == 0) {
    if (was_root_ && ::seteuid(65534) != 0) ADD_FAILURE();
  }
  ~Nobody() {
    if (was_root_ && ::seteuid(0) != 0) ADD_FAILURE();
  }

 private:
  bool was_root_;
};

TEST(FileStore, RefusalsArePermissionErrors) {
  const testing::TempFolder folder;
  const auto store = open_file_store(folder.path());
  store->put_text("f", "x");
  ::chmod((folder / "f").c_str(), 0);
  ::chmod(folder.path().c_str(), 0555);
  {
    const Nobody nobody;
    EXPECT_ERROR(permission, "f", store->get("f"));
    EXPECT_ERROR(permission, "creating", store->put_text("g", "x"));
    EXPECT_ERROR(permission, "making folder", store->put_text("h/g", "x"));
    EXPECT_ERROR(permission, "removing", store->remove("f"));
  }
  ::chmod(folder.path().c_str(), 0755);
}

// A folder that can be listed but not searched has entries, but nobody can tell what they are.
TEST(FileStore, UnreadableIsNotAbsent) {
  const testing::TempFolder folder;
  const auto store = open_file_store(folder.path());
  store->put_text("commits/f", "x");
  ::chmod(folder.path().c_str(), 0755);
  ::chmod((folder / "commits").c_str(), 0744);
  {
    const Nobody nobody;
    EXPECT_ERROR(permission, "listing", store->list("commits"));
    EXPECT_ERROR(permission, "commits/f", store->size("commits/f"));
  }
  ::chmod((folder / "commits").c_str(), 0755);
  EXPECT_EQ(store->list("commits").size(), 1u);
}

TEST(FileStore, DanglingLinksAreNotListed) {
  const testing::TempFolder folder;
  fs::create_symlink("gone", folder / "dangling");
  EXPECT_TRUE(open_file_store(folder.path())->list("").empty());
}

// Every change through a link that leads outside is refused, and nothing outside changes.
TEST(FileStore, ChangesDoNotFollowLinksOutside) {
  const testing::TempFolder folder;
  fs::create_directories(folder / "array");
  fs::create_directories(folder / "outside/empty");
  std::ofstream(folder / "outside/file") << "old";
  fs::create_directory_symlink("../outside", folder / "array/c");
  fs::create_symlink("../outside/file", folder / "array/file");
  const auto store = open_file_store(folder / "array");
  EXPECT_ERROR(permission, "leads outside", store->put_text("c/new", "x"));
  EXPECT_ERROR(permission, "leads outside", store->put_text("c/deep/new", "x"));
  EXPECT_ERROR(permission, "leads outside", store->put_text("c/file", "x"));
  EXPECT_ERROR(permission, "leads outside", store->begin("c/new"));
  EXPECT_ERROR(permission, "leads outside", store->make_folder("c/made"));
  EXPECT_ERROR(permission, "leads outside", store->remove("c/file"));
  EXPECT_ERROR(permission, "leads outside", store->remove("c/empty"));
  EXPECT_ERROR(permission, "leads outside", store->remove_tree("c"));
  EXPECT_ERROR(permission, "leads outside", store->sync_folder("c"));
  store->put_text("file", "inside");  // replaces the link
  store->remove("c");                 // removes the link
  std::string outside;
  std::ifstream(folder / "outside/file") >> outside;
  EXPECT_EQ(outside, "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder / "outside"), {}), 2);
  EXPECT_EQ(text_of(*store->get("file")), "inside");
  EXPECT_EQ(store->list("").size(), 1u) << "no temporary file is left";
}

TEST(FileStore, LinksInsideAndFollowedLinksAreWrittenThrough) {
  const testing::TempFolder folder;
  fs::create_directories(folder / "array/real");
  fs::create_directories(folder / "outside");
  fs::create_directory_symlink("real", folder / "array/in");
  fs::create_directory_symlink("../outside", folder / "array/out");
  open_file_store(folder / "array")->put_text("in/f", "x");
  EXPECT_TRUE(fs::exists(folder / "array/real/f"));
  StoreOptions follow;
  follow.follow_links = true;
  open_file_store(folder / "array", follow)->put_text("out/f", "x");
  EXPECT_TRUE(fs::exists(folder / "outside/f"));
}

TEST(FileStore, AWriteTheSystemRefusesLeavesNothing) {
  const testing::TempFolder folder;
  const auto store = open_file_store(folder.path());
  store->put_text("f", "old");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{1000, before.rlim_max};
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_ERROR(io, "writing", store->put_text("f", std::string(5000, 'x')));
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(text_of(*store->get("f")), "old");
  EXPECT_EQ(store->list("").size(), 1u) << "the temporary file is gone";
}

// A crash before any step of a replacing put leaves the old file; after the rename, the new one.
TEST(FileStore, EveryStepOfAPutIsSafeToDieAt) {
  std::vector<std::string> steps;
  const testing::TempFolder folder;
  int die_at = -1;
  StoreOptions options;
  options.before_step = [&](std::string_view step, std::string_view) {
    steps.emplace_back(step);
    if (static_cast<int>(steps.size()) - 1 == die_at) fail(ErrorKind::io, "died before {}", step);
  };
  const auto store = open_file_store(folder.path(), options);
  store->put_text("a/f", "old");
  const std::vector<std::string> expected = {"sync folder", "create", "write", "sync", "rename", "sync folder"};
  EXPECT_EQ(steps, expected);
  const std::vector<std::string> replacing = {"create", "write", "sync", "rename", "sync folder"};
  for (die_at = 0; die_at < static_cast<int>(replacing.size()); ++die_at) {
    steps.clear();
    EXPECT_ERROR(io, "died before " + replacing[static_cast<std::size_t>(die_at)], store->put_text("a/f", "new"));
    EXPECT_EQ(text_of(*store->get("a/f")), die_at < 4 ? "old" : "new") << die_at;
  }
}

TEST(FileStore, FilesOfOneFolderShareItsSync) {
  std::multiset<std::string> steps;
  std::mutex mutex;
  std::size_t renamed_before_sync = 0;
  const testing::TempFolder folder;
  StoreOptions options;
  options.before_step = [&](std::string_view step, std::string_view) {
    const std::lock_guard lock(mutex);
    if (step == "sync") renamed_before_sync += steps.count("rename");
    steps.emplace(step);
  };
  const auto store = open_file_store(folder.path(), options);
  std::vector<std::unique_ptr<Upload>> uploads;
  for (const char* key : {"set/a", "set/b", "set/c"}) {
    uploads.push_back(store->begin(key));
    uploads.back()->append(bytes_of(key));
  }
  steps.clear();
  commit_together(*store, "set", uploads, {});
  EXPECT_EQ(steps, (std::multiset<std::string>{"rename", "rename", "rename", "sync", "sync", "sync", "sync folder"}));
  EXPECT_EQ(renamed_before_sync, 0u);
}

}  // namespace
}  // namespace tegula
