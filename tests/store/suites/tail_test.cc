// The end of a file, from every store.
#include <gtest/gtest.h>

#include "store/file/file_store.h"
#include "store/memory/memory_store.h"
#include "store/wrap/counting_store.h"
#include "store/wrap/sub_store.h"
#include "store/wrap/tracing_store.h"
#include "support/temp_folder.h"

namespace tegula {
namespace {

TEST(Tail, IsTheEndOfAFile) {
  const testing::TempFolder folder;
  const auto counts = std::make_shared<StoreCounts>();
  const std::shared_ptr<Store> stores[] = {
      open_file_store(folder / "f", {}),           make_memory_store(),
      sub_store(make_memory_store(), "a/b"),       tracing_store(make_memory_store(), [](std::string_view) {}),
      counting_store(make_memory_store(), counts),
  };
  for (const std::shared_ptr<Store>& store : stores) {
    store->put_text("x", "0123456789");
    store->put_text("empty", "");
    struct Case {
      std::uint64_t most;
      std::string_view bytes;
    };
    for (const Case& c : {Case{3, "789"}, Case{10, "0123456789"}, Case{99, "0123456789"}, Case{0, ""}}) {
      const std::optional<Tail> tail = store->tail("x", c.most);
      ASSERT_TRUE(tail);
      EXPECT_EQ(text_of(tail->bytes), c.bytes);
      EXPECT_EQ(tail->size, 10u);
    }
    EXPECT_EQ(store->tail("empty", 5)->size, 0u);
    EXPECT_FALSE(store->tail("none", 5));
  }
  EXPECT_EQ(counts->reads, 6u);
  EXPECT_EQ(counts->bytes_read, 23u);
  EXPECT_EQ(counts->sizes, 0u);
}

}  // namespace
}  // namespace tegula
