#include "store/wrap/known_store.h"

#include <gtest/gtest.h>

#include "base/fail.h"
#include "store/memory/memory_store.h"
#include "store/wrap/counting_store.h"
#include "store/wrap/latency_store.h"
#include "support/expect_error.h"

namespace tegula {
namespace {

std::string names(const std::vector<Entry>& entries) {
  std::string out;
  for (const Entry& entry : entries) out += entry.name + (entry.folder ? "/ " : " ");
  return out;
}

struct Filled {
  Filled() {
    for (const char* key : {"a", "d/e", "d/f/g", "d-h", "z"}) store->put_text(key, std::string("text of ") + key);
    counts->batches = 0;
  }
  std::shared_ptr<StoreCounts> counts = std::make_shared<StoreCounts>();
  std::shared_ptr<Store> store = counting_store(make_memory_store(), counts);
};

TEST(KnownStore, AnswersFromACompleteListing) {
  const Filled filled;
  KnownStore known(*filled.store);
  known.learn(filled.store->list_all(""));
  EXPECT_TRUE(known.complete());
  EXPECT_EQ(known.size("d/e"), 11u);
  EXPECT_EQ(known.size("d"), std::nullopt);
  EXPECT_EQ(known.get("nothing"), std::nullopt);
  for (const char* prefix : {"", "d", "d/f", "nothing"})
    EXPECT_EQ(names(known.list(prefix)), names(filled.store->list(prefix))) << prefix;
  EXPECT_EQ(filled.counts->batches, 5u);  // the listing, and the four to compare with
}

TEST(KnownStore, AnIncompleteListingDoesNotSayWhatIsAbsent) {
  const Filled filled;
  KnownStore known(*filled.store);
  known.learn(filled.store->list_all("", 2));
  EXPECT_FALSE(known.complete());
  EXPECT_EQ(known.size("z"), 9u);
  EXPECT_EQ(names(known.list("d")), "e f/ ");
}

// Refuses listings, and to say whether files are absent.
class Secretive final : public WrappedStore {
 public:
  using WrappedStore::get;
  using WrappedStore::WrappedStore;
  std::optional<Bytes> get(std::string_view key) const override {
    std::optional<Bytes> bytes = store_->get(key);
    if (!bytes) fail(ErrorKind::permission, "'{}': access denied", key);
    return bytes;
  }
  void get(std::span<FileRead> reads) const override { Store::get(reads); }
  Listing list_all(std::string_view, std::size_t) const override { fail(ErrorKind::permission, "access denied"); }
};

TEST(KnownStore, LooksOnce) {
  constexpr std::string_view kDocuments[] = {"zarr.json", "a", "z"};
  struct Case {
    const char* name;
    std::function<std::shared_ptr<Store>(std::shared_ptr<Store>)> around;
    std::uint64_t batches;
    bool complete;
  };
  const Case cases[] = {
      {"local", [](auto store) { return store; }, 0, false},
      {"remote", [](auto store) { return latency_store(store); }, 2, true},
      {"without listing", [](auto store) { return latency_store(store, {.lists = false}); }, 1, false},
      {"secretive", [](auto store) { return std::make_shared<Secretive>(latency_store(store)); }, 3, false},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.name);
    const Filled filled;
    const std::shared_ptr<Store> store = test.around(filled.store);
    KnownStore known(*store);
    known.look(kDocuments);
    EXPECT_EQ(filled.counts->batches, test.batches);
    EXPECT_EQ(known.complete(), test.complete);
    EXPECT_EQ(text_of(*known.get("z")), "text of z");
    EXPECT_EQ(known.size("zarr.json"), std::nullopt);
  }
  const auto nothing = std::make_shared<Secretive>(latency_store(make_memory_store()));
  KnownStore known(*nothing);
  EXPECT_ERROR(permission, "access denied", known.look(kDocuments));
}

// Has a file that cannot be read.
class Broken final : public WrappedStore {
 public:
  using WrappedStore::get;
  using WrappedStore::WrappedStore;
  std::optional<Bytes> get(std::string_view key) const override {
    if (key == "z") fail(ErrorKind::io, "'{}': the server answered 503", key);
    return store_->get(key);
  }
  void get(std::span<FileRead> reads) const override { Store::get(reads); }
};

TEST(KnownStore, ADocumentThatCannotBeReadIsNotAbsent) {
  constexpr std::string_view kDocuments[] = {"a", "z"};
  const Filled filled;
  const Broken broken(latency_store(filled.store, {.lists = false}));
  KnownStore known(broken);
  EXPECT_ERROR(io, "answered 503", known.look(kDocuments));
}

TEST(KnownStore, ReadsEachFileOnce) {
  const Filled filled;
  KnownStore known(*filled.store);
  const std::string keys[] = {"a", "z", "nothing"};
  known.learn_files(keys);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(text_of(*known.get("a")), "text of a");
    EXPECT_EQ(text_of(known.tail("z", 1)->bytes), "z");
    EXPECT_EQ(known.get("nothing"), std::nullopt);
    EXPECT_EQ(known.size("nothing"), std::nullopt);
    EXPECT_EQ(text_of(*known.get("d/e")), "text of d/e");
  }
  EXPECT_EQ(filled.counts->batches, 2u);
}

TEST(KnownStore, AnEndOfAFileIsNotTheFile) {
  const Filled filled;
  KnownStore known(*filled.store);
  const std::string keys[] = {"d/e", "a"};
  known.learn_files(keys, 9);
  EXPECT_EQ(known.size("d/e"), 11u);
  EXPECT_EQ(text_of(known.tail("d/e", 3)->bytes), "d/e");
  EXPECT_EQ(text_of(*known.get("a")), "text of a");
  Bytes part(2);
  RangeRead inside{"d/e", 8, part};
  known.get(std::span(&inside, 1));
  EXPECT_EQ(text_of(part), "d/");
  EXPECT_EQ(filled.counts->batches, 1u);
  EXPECT_EQ(text_of(*known.get("d/e")), "text of d/e");
  EXPECT_EQ(filled.counts->batches, 2u);
}

TEST(KnownStore, CutsRangesAndAsksForTheOthers) {
  const Filled filled;
  KnownStore known(*filled.store);
  Bytes bytes = copy_of(bytes_of("EXT"));
  known.learn(RangeRead{"a", 1, bytes, true});
  known.learn(RangeRead{"gone", 0, {}, false});
  Bytes a(2), b(3), c(2);
  RangeRead reads[] = {{"a", 2, a}, {"a", 2, b}, {"gone", 5, c}};
  known.get(reads);
  EXPECT_EQ(text_of(a), "XT");
  EXPECT_EQ(text_of(b), "xt ");
  EXPECT_TRUE(reads[1].found);
  EXPECT_FALSE(reads[2].found);
  EXPECT_EQ(filled.counts->reads, 1u);
}

// As many as a shard of single cells has in one request. Looking through all of them for each would take minutes.
TEST(KnownStore, KnowsManyRanges) {
  constexpr std::uint64_t kRanges = 200'000;
  const Filled filled;
  KnownStore known(*filled.store);
  Bytes bytes(kRanges);
  for (std::uint64_t i = 0; i < kRanges; ++i) bytes[i] = static_cast<std::byte>(i % 251);
  for (std::uint64_t i = 0; i < kRanges; ++i)
    known.learn(RangeRead{"shard", 10 * i, MutableBytes(bytes).subspan(i, 1), true});
  Bytes into(kRanges);
  std::vector<RangeRead> reads;
  for (std::uint64_t i = kRanges; i-- > 0;) reads.push_back({"shard", 10 * i, MutableBytes(into).subspan(i, 1)});
  known.get(reads);
  EXPECT_EQ(into, bytes);
  EXPECT_EQ(filled.counts->reads, 0u);
}

}  // namespace
}  // namespace tegula
