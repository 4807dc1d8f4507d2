#include "store/wrap/wrappers.h"

#include <gtest/gtest.h>

#include <vector>

#include "store/memory/memory_store.h"
#include "support/expect_error.h"

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
  EXPECT_EQ(counts->reads, 3u);  // neighbouring ranges are one request
  EXPECT_EQ(counts->bytes_read, 17u);
  EXPECT_EQ(counts->writes, 2u);
  EXPECT_EQ(counts->bytes_written, 13u);
  EXPECT_EQ(counts->lists, 1u);
  EXPECT_EQ(counts->sizes, 1u);
  EXPECT_EQ(counts->removes, 1u);
}

TEST(TracingStore, OneLinePerRequest) {
  std::vector<std::string> lines;
  const auto store = tracing_store(make_memory_store(), [&](std::string_view line) { lines.emplace_back(line); });
  store->put_text("d/f", "0123");
  Bytes a(3);
  RangeRead reads[] = {{"d/f", 1, a}, {"none", 0, a}};
  store->get(reads);
  store->get("d/f");
  store->size("none");
  store->list("");
  store->remove("d/f");
  const std::vector<std::string> expected = {"write d/f 4 bytes", "read d/f 1+3",     "read none 0+3 absent",
                                             "read d/f 4 bytes",  "size none absent", "list . 1 entries",
                                             "remove d/f"};
  EXPECT_EQ(lines, expected);
}

TEST(FailingStore, DiesAtTheNthChangeAndStaysDead) {
  for (const bool done : {false, true}) {
    const auto inner = make_memory_store();
    const auto plan = std::make_shared<FaultPlan>();
    plan->at = 1;
    plan->done = done;
    const auto store = failing_store(inner, plan);
    store->put_text("a", "1");
    auto upload = store->begin("b");
    upload->append(bytes_of("2"));
    EXPECT_ERROR(io, "injected fault at change 1 ('b')", upload->commit());
    EXPECT_EQ(inner->has("b"), done);
    EXPECT_ERROR(io, "injected fault", store->put_text("c", "3"));
    EXPECT_ERROR(io, "injected fault", store->remove("a"));
    EXPECT_TRUE(inner->has("a"));
    EXPECT_EQ(text_of(*store->get("a")), "1");
    EXPECT_EQ(plan->changes, 4u);
  }
}

}  // namespace
}  // namespace tegula
