#include "store/wrap/failing_store.h"

#include <gtest/gtest.h>

#include "store/memory/memory_store.h"
#include "support/expect_error.h"

namespace tegula {
namespace {

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
