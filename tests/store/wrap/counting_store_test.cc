#include "store/wrap/counting_store.h"

#include <gtest/gtest.h>

#include "store/memory/memory_store.h"

namespace tegula {
namespace {

TEST(CountingStore, CountsRequestsAndBytes) {
  const auto counts = std::make_shared<StoreCounts>();
  const auto store = counting_store(make_memory_store(), counts);
  store->put_text("f", "0123456789");
  auto upload = store->begin("g");
  upload->append(bytes_of("abc"));
  upload->commit();
  Bytes a(3), b(4);
  RangeRead reads[] = {{"f", 0, a}, {"f", 3, b}, {"none", 0, b}};
  store->get(reads);
  store->get("f");
  store->size("f");
  store->list("");
  store->remove("g");
  EXPECT_EQ(counts->reads, 3u);  // adjacent ranges are one request
  EXPECT_EQ(counts->bytes_read, 17u);
  EXPECT_EQ(counts->writes, 2u);
  EXPECT_EQ(counts->bytes_written, 13u);
  EXPECT_EQ(counts->lists, 1u);
  EXPECT_EQ(counts->sizes, 1u);
  EXPECT_EQ(counts->removes, 1u);
}

}  // namespace
}  // namespace tegula
