#include "store/wrap/cached_store.h"

#include <gtest/gtest.h>

#include <thread>

#include "store/file_states.h"
#include "store/memory/memory_store.h"
#include "store/wrap/counting_store.h"
#include "store/wrap/failing_store.h"
#include "store/wrap/wrapped_store.h"
#include "support/expect_error.h"

namespace tegula {
namespace {

// A remote store in memory. `between` runs when states have been told.
class Remote final : public WrappedStore, public FileStates {
 public:
  Remote() : WrappedStore(counting_store(files, counts)) {}
  void states(std::span<FileState> wanted) const override {
    for (FileState& file : wanted) file.state = states_known ? files->get_stated(file.key).state : "";
    if (between) between();
  }

  inline static const std::shared_ptr<Store> files = make_memory_store();
  inline static const std::shared_ptr<StoreCounts> counts = std::make_shared<StoreCounts>();
  bool states_known = true;
  std::function<void()> between;
};

class CachedStoreTest : public ::testing::Test {
 protected:
  CachedStoreTest() {
    for (const ListedFile& file : Remote::files->list_all("").files) Remote::files->remove(file.key);
    Remote::files->put_text("f", "0123456789");
    Remote::files->put_text("d/g", "abc");
  }
  std::shared_ptr<Store> open(std::uint64_t most = 1 << 20) { return cached_store(remote, disk, most); }
  static std::string range(const Store& store, std::string_view key, std::uint64_t offset, std::size_t size) {
    Bytes bytes(size);
    RangeRead read{key, offset, bytes};
    store.get(std::span(&read, 1));
    return read.found ? std::string(text_of(bytes)) : "<absent>";
  }
  static std::string text(const Store& store, std::string_view key) {
    const std::optional<Bytes> bytes = store.get(key);
    return bytes ? std::string(text_of(*bytes)) : "<absent>";
  }
  // Reads that went to the remote store since the last call.
  std::uint64_t reads() { return Remote::counts->reads.exchange(0); }
  // All reads of the store, which come from the cache the second time.
  void read_all(const Store& store) {
    EXPECT_EQ(range(store, "f", 2, 3), "234");
    EXPECT_EQ(text(store, "d/g"), "abc");
    const std::optional<Tail> tail = store.tail("f", 4);
    EXPECT_EQ(text_of(tail->bytes), "6789");
    EXPECT_EQ(tail->size, 10u);
  }

  std::shared_ptr<Remote> remote = std::make_shared<Remote>();
  std::shared_ptr<Store> disk = make_memory_store();
};

TEST_F(CachedStoreTest, TheSameIsReadOnce) {
  reads();
  read_all(*open());
  EXPECT_EQ(reads(), 3u);
  read_all(*open());
  EXPECT_EQ(reads(), 0u) << "also by another process";
  EXPECT_EQ(range(*open(), "f", 2, 4), "2345");
  EXPECT_EQ(reads(), 1u);
  EXPECT_EQ(text(*open(), "gone"), "<absent>");
  EXPECT_EQ(range(*open(), "gone", 0, 1), "<absent>");
}

// As fetch_each() does, the caller may use what arrived for something else.
TEST_F(CachedStoreTest, WhatArrivedIsTheCallers) {
  const std::shared_ptr<Store> store = open();
  Bytes first(3), second(4);
  RangeRead reads[] = {{"f", 0, first}, {"f", 5, second}};
  store->fetch(reads, [&](std::size_t i) { std::ranges::fill(reads[i].into, std::byte{'x'}); });
  EXPECT_EQ(range(*store, "f", 0, 3), "012");
  EXPECT_EQ(range(*store, "f", 5, 4), "5678");
}

TEST_F(CachedStoreTest, AChangedFileIsReadAnew) {
  const std::shared_ptr<Store> store = open();
  read_all(*store);
  Remote::files->put_text("f", "9876543210");
  EXPECT_EQ(range(*store, "f", 2, 3), "765");
  EXPECT_EQ(text_of(store->tail("f", 4)->bytes), "3210");
  Remote::files->remove("f");
  EXPECT_EQ(range(*store, "f", 2, 3), "<absent>");
}

TEST_F(CachedStoreTest, WhatChangesWhileItIsReadIsNotKept) {
  const std::shared_ptr<Store> store = open();
  int asked = 0;
  remote->between = [&] {
    if (++asked == 1) Remote::files->put_text("f", "9876543210");
  };
  EXPECT_EQ(range(*store, "f", 0, 3), "987") << "read behind the question for its state";
  remote->between = nullptr;
  EXPECT_TRUE(disk->list_all("").files.empty());
}

TEST_F(CachedStoreTest, WithoutStatesNothingIsKept) {
  remote->states_known = false;
  read_all(*open());
  EXPECT_TRUE(disk->list_all("").files.empty());
  const std::shared_ptr<Store> plain = make_memory_store();
  EXPECT_EQ(cached_store(plain, disk, 100), plain);
}

TEST_F(CachedStoreTest, DamageOfTheCacheIsPassedOver) {
  read_all(*open());
  const std::vector<ListedFile> entries = disk->list_all("").files;
  ASSERT_EQ(entries.size(), 3u);
  for (const ListedFile& entry : entries) {
    const Bytes right = *disk->get(entry.key);
    for (std::size_t at = 0; at < right.size(); ++at) {
      Bytes wrong = right;
      wrong[at] ^= std::byte{0x10};
      disk->put(entry.key, wrong);
      read_all(*open());
      disk->put(entry.key, ByteView(right).first(at));
      read_all(*open());
    }
    disk->put(entry.key, *disk->get(entries[0].key));
    read_all(*open());
  }
}

TEST_F(CachedStoreTest, ADiskThatFailsIsNoError) {
  const auto plan = std::make_shared<FaultPlan>();
  plan->at = 0;
  const std::shared_ptr<Store> store = cached_store(remote, failing_store(disk, plan), 1 << 20);
  read_all(*store);
}

TEST_F(CachedStoreTest, ItStaysWithinItsBound) {
  constexpr std::uint64_t kMost = 64 << 10;
  const std::shared_ptr<Store> store = open(kMost);
  Remote::files->put_text("big", std::string(1 << 20, 'x'));
  for (int i = 0; i < 1000; ++i) {
    range(*store, "big", 1000 * i, 1000);
    if (i % 5 == 0) {
      reads();
      EXPECT_EQ(range(*store, "f", 2, 3), "234");
      if (i > 0) {
        EXPECT_EQ(reads(), 0u) << "what is used again stays";
      }
    }
  }
  std::uint64_t kept = 0;
  for (const ListedFile& file : disk->list_all("").files) kept += file.size;
  EXPECT_LE(kept, kMost);
  EXPECT_GE(kept, kMost / 2);
  range(*store, "big", 0, 1 << 19);
  reads();
  range(*store, "big", 0, 1 << 19);
  EXPECT_EQ(reads(), 1u) << "larger than a generation";
}

// A disk that holds other files, and folders whose names look like numbers.
TEST_F(CachedStoreTest, NothingElseOnTheDiskIsTouched) {
  for (const char* folder : {"0", "3", "2001", "2024", "20240101", "tegula-cache-1/2001", "tegula-cache-1/gone"})
    disk->put_text(join(folder, "mine"), "precious");
  Remote::files->put_text("big", std::string(1 << 20, 'x'));
  for (int again = 0; again < 3; ++again) {
    const std::shared_ptr<Store> store = open(16 << 10);
    for (int i = 0; i < 100; ++i) range(*store, "big", 1000 * i, 900);
  }
  for (const char* folder : {"0", "3", "2001", "2024", "20240101", "tegula-cache-1/2001", "tegula-cache-1/gone"})
    EXPECT_EQ(text(*disk, join(folder, "mine")), "precious") << folder;
  for (const Entry& entry : disk->list("tegula-cache-1")) disk->remove_tree(join("tegula-cache-1", entry.name));
  disk->put_text("tegula-cache-1/g0000000000000001/x", "");
  disk->put_text("tegula-cache-1/g0fffffffffffffff/x", "");
  const std::shared_ptr<Store> store = open();
  read_all(*store);
  reads();
  read_all(*store);
  EXPECT_EQ(reads(), 0u) << "a name that is far away does not make searches long";
}

TEST_F(CachedStoreTest, TwoStatesAreNotMixed) {
  const std::shared_ptr<Store> store = open();
  EXPECT_EQ(range(*store, "f", 2, 3), "234");
  EXPECT_EQ(range(*store, "d/g", 0, 1), "a");
  int asked = 0;
  remote->between = [&] {
    if (++asked == 1) Remote::files->put_text("f", "9876543210");
  };
  Bytes a(3), b(3), c(1);
  RangeRead mixed[] = {{"f", 2, a}, {"d/g", 0, c}, {"f", 5, b}};
  EXPECT_ERROR(io, "f: it changed while it was read", store->get(mixed));
  remote->between = nullptr;
  store->get(mixed);
  EXPECT_EQ(text_of(a), "765");
  EXPECT_EQ(text_of(b), "432");
}

TEST_F(CachedStoreTest, SeveralShareADisk) {
  Remote::files->put_text("big", std::string(1 << 16, 'x'));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      const std::shared_ptr<Store> store = open(32 << 10);
      for (int i = 0; i < 200; ++i) EXPECT_EQ(range(*store, "big", 100 * (i % 50), 100), std::string(100, 'x'));
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace tegula
