#include "store/wrap/indexed_store.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "store/memory/memory_store.h"
#include "store/wrap/counting_store.h"
#include "store/wrap/wrapped_store.h"
#include "support/expect_error.h"

namespace tegula {
namespace {

// A store that does not list its files.
class Unlisted final : public WrappedStore {
 public:
  using WrappedStore::WrappedStore;
  std::vector<Entry> list(std::string_view) const override { throw Error(ErrorKind::unsupported, "no listing"); }
  Listing list_all(std::string_view, std::size_t) const override { throw Error(ErrorKind::unsupported, "no listing"); }
  StoreHints hints() const override {
    StoreHints hints = store_->hints();
    hints.lists = false;
    return hints;
  }
};

std::string names(const Store& store, std::string_view prefix = "") {
  std::string out;
  for (const Entry& entry : store.list(prefix))
    out += entry.name + (entry.folder ? "/ " : ":" + std::to_string(entry.size) + " ");
  return out;
}

class IndexedStoreTest : public ::testing::Test {
 protected:
  IndexedStoreTest() {
    files->put_text("a", "1");
    files->put_text("d/x", "12");
    files->put_text("d/e/y", "");
    files->put_text("d-", "123");
    files->put_text(".tegula-0123", "unfinished");
    files->put_text("d/.tegula-4", "unfinished");
  }
  std::shared_ptr<Store> indexed() const { return with_index(std::make_shared<Unlisted>(files)); }
  void make_index() const { files->put_text(kIndexKey, index_files(*files).document); }

  std::shared_ptr<Store> files = make_memory_store();
};

TEST_F(IndexedStoreTest, ListsAsTheFilesDid) {
  make_index();
  const std::shared_ptr<Store> store = indexed();
  EXPECT_TRUE(store->hints().lists);
  EXPECT_EQ(names(*store), "a:1 d/ d-:3 ");
  EXPECT_EQ(names(*store, "d"), "e/ x:2 ");
  EXPECT_EQ(names(*store, "gone"), "");
  EXPECT_EQ(store->list_all("").files.size(), 4u);
  EXPECT_EQ(store->list_all("d").files.size(), 2u);
  EXPECT_FALSE(store->list_all("", 1).complete);
  EXPECT_EQ(store->size("d/x"), 2u);
  EXPECT_EQ(text_of(*store->get("d/x")), "12");
  EXPECT_EQ(store->get("gone"), std::nullopt);
  EXPECT_NE(store->get(kIndexKey), std::nullopt) << "the index does not name itself";
}

TEST_F(IndexedStoreTest, IsNotUsedWhereItIsNotNeeded) {
  EXPECT_FALSE(indexed()->hints().lists) << "there is none";
  make_index();
  EXPECT_EQ(with_index(files), files) << "it lists";
}

TEST_F(IndexedStoreTest, AnOlderIndexShows) {
  make_index();
  const std::shared_ptr<Store> store = indexed();
  const auto all_ways = [&](std::string_view key, std::string_view message, bool ranges) {
    const std::string part(message);
    EXPECT_ERROR(corrupt, part, store->get(key));
    EXPECT_ERROR(corrupt, part, store->tail(key, 1));
    EXPECT_ERROR(corrupt, part, store->get_stated(key));
    FileRead file{key};
    EXPECT_ERROR(corrupt, part, store->get(std::span(&file, 1)));
    Bytes byte(1);
    RangeRead range{key, 0, byte};
    if (!ranges) return;
    EXPECT_ERROR(corrupt, part, store->get(std::span(&range, 1)));
    EXPECT_ERROR(corrupt, part, store->fetch(std::span(&range, 1), [](std::size_t) {}));
  };
  files->put_text("d/x", "grown");
  all_ways("d/x", "it has 5 bytes, in the index 2", false);
  files->remove("a");
  all_ways("a", "it is not there: the index .tegula-index.json is older", true);
  files->put_text("new", "1");
  all_ways("new", "it is there, but not in the index", true);
  EXPECT_ERROR(corrupt, "not in the index", store->size("new"));
  make_index();
  EXPECT_EQ(text_of(*indexed()->get("new")), "1");
}

TEST_F(IndexedStoreTest, DamageIsFound) {
  make_index();
  const std::string right(text_of(*files->get(kIndexKey)));
  struct {
    const char *from, *to, *message;
  } const cases[] = {
      {"[\"a\", 1]", "[\"a\", 2]", "its hash does not fit"},
      {"[\"a\", 1]", "[\"a\", -1]", "expected [NAME, SIZE]"},
      {"[\"a\", 1]", "[\"a\"]", "expected [NAME, SIZE]"},
      {"[\"a\", 1]", "[\"z\", 1]", "is not in order"},
      {"\"sha256\"", "\"sha\"", "lacks the files or their hash"},
      {"\"tegula_index\"", "\"index\"", "not an index"},
      {"{", "", "index.json"},
  };
  for (const auto& [from, to, message] : cases) {
    std::string text = right;
    text.replace(text.find(from), std::string_view(from).size(), to);
    files->put_text(kIndexKey, text);
    EXPECT_ERROR(corrupt, message, indexed());
  }
  std::string later = right;
  later.replace(later.find("1,"), 1, "2");
  files->put_text(kIndexKey, later);
  EXPECT_ERROR(unsupported, "version 2", indexed());
  std::string outside = right;
  outside.replace(outside.find("\"a\""), 3, "\"../a\"");
  files->put_text(kIndexKey, outside);
  EXPECT_ERROR(invalid_argument, "", indexed());
}

// A server that denies names that are not there has no index. One that cannot be reached may have one.
TEST_F(IndexedStoreTest, OnlyADeniedIndexIsNone) {
  class Failing final : public WrappedStore {
   public:
    Failing(std::shared_ptr<Store> store, ErrorKind kind) : WrappedStore(std::move(store)), kind_(kind) {}
    StoreHints hints() const override { return {.lists = false}; }
    std::optional<Bytes> get(std::string_view) const override { throw Error(kind_, "refused"); }
    void get(std::span<FileRead> reads) const override { Store::get(reads); }

   private:
    ErrorKind kind_;
  };
  EXPECT_FALSE(with_index(std::make_shared<Failing>(files, ErrorKind::permission))->hints().lists);
  EXPECT_ERROR(io, "refused", with_index(std::make_shared<Failing>(files, ErrorKind::io)));
  EXPECT_ERROR(corrupt, "refused", with_index(std::make_shared<Failing>(files, ErrorKind::corrupt)));
}

}  // namespace
}  // namespace tegula
