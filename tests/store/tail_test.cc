#include "store/tail.h"

#include <gtest/gtest.h>

#include "store/file.h"
#include "store/memory.h"
#include "store/wrappers.h"
#include "support/temp_folder.h"

namespace tegula {
namespace {

// A store that knows nothing of tails.
class PlainStore final : public Store {
 public:
  explicit PlainStore(std::shared_ptr<Store> store) : store_(std::move(store)) {}
  std::optional<Bytes> get(std::string_view key) const override { return store_->get(key); }
  void get(std::span<RangeRead> reads) const override { store_->get(reads); }
  std::optional<std::uint64_t> size(std::string_view key) const override { return store_->size(key); }
  std::vector<Entry> list(std::string_view prefix) const override { return store_->list(prefix); }
  void put(std::string_view key, std::span<const ByteView> parts) override { store_->put(key, parts); }
  std::unique_ptr<Upload> begin(std::string_view key) override { return store_->begin(key); }
  std::unique_ptr<Scratch> scratch() override { return store_->scratch(); }
  void remove(std::string_view key) override { store_->remove(key); }
  void make_folder(std::string_view key) override { store_->make_folder(key); }
  void sync_folder(std::string_view prefix) override { store_->sync_folder(prefix); }
  std::string describe(std::string_view key) const override { return store_->describe(key); }

 private:
  std::shared_ptr<Store> store_;
};

TEST(Tail, IsTheEndOfAFile) {
  const testing::TempFolder folder;
  const auto counts = std::make_shared<StoreCounts>();
  const std::shared_ptr<Store> stores[] = {
      open_file_store(folder / "f", {}),           make_memory_store(),
      sub_store(make_memory_store(), "a/b"),       tracing_store(make_memory_store(), [](std::string_view) {}),
      counting_store(make_memory_store(), counts), std::make_shared<PlainStore>(make_memory_store()),
  };
  for (const std::shared_ptr<Store>& store : stores) {
    store->put_text("x", "0123456789");
    store->put_text("empty", "");
    struct Case {
      std::uint64_t most;
      std::string_view bytes;
    };
    for (const Case& c : {Case{3, "789"}, Case{10, "0123456789"}, Case{99, "0123456789"}, Case{0, ""}}) {
      const std::optional<Tail> tail = read_tail(*store, "x", c.most);
      ASSERT_TRUE(tail);
      EXPECT_EQ(text_of(tail->bytes), c.bytes);
      EXPECT_EQ(tail->size, 10u);
    }
    EXPECT_EQ(read_tail(*store, "empty", 5)->size, 0u);
    EXPECT_FALSE(read_tail(*store, "none", 5));
  }
  EXPECT_EQ(counts->reads, 6u);
  EXPECT_EQ(counts->bytes_read, 23u);
  EXPECT_EQ(counts->sizes, 0u);
}

}  // namespace
}  // namespace tegula
