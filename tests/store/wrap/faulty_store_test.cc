#include "store/wrap/faulty_store.h"

#include <gtest/gtest.h>

#include "store/memory/memory_store.h"
#include "support/expect_error.h"

namespace tegula {
namespace {

std::shared_ptr<CallFault> fault(StoreFault fault, std::uint64_t at, bool lasting = false) {
  const auto plan = std::make_shared<CallFault>();
  plan->fault = fault;
  plan->at = at;
  plan->lasting = lasting;
  return plan;
}

TEST(FaultyStore, FailsTheNthCallOrAllFromItOn) {
  for (const bool lasting : {false, true}) {
    const auto inner = make_memory_store();
    inner->put_text("a", "12345678");
    const auto plan = fault(StoreFault::denied, 1, lasting);
    const auto store = faulty_store(inner, plan);
    EXPECT_EQ(store->size("a"), 8u);
    EXPECT_ERROR(permission, "injected fault, access denied", store->list(""));
    if (lasting)
      EXPECT_ERROR(permission, "injected fault", store->get("a"));
    else
      EXPECT_EQ(text_of(*store->get("a")), "12345678");
    store->put_text("b", "is a change");
    EXPECT_EQ(plan->calls, 3u);
    EXPECT_EQ(plan->failed, lasting ? 2u : 1u);
  }
}

TEST(FaultyStore, FilesEndEarlyOrAreGone) {
  const auto inner = make_memory_store();
  inner->put_text("a", "12345678");
  const auto cut = faulty_store(inner, fault(StoreFault::cut_short, 0, true));
  EXPECT_EQ(text_of(*cut->get("a")), "1234");
  EXPECT_EQ(cut->size("a"), 4u);
  EXPECT_EQ(text_of(cut->tail("a", 2)->bytes), "34");
  EXPECT_EQ(text_of(*cut->Store::get("a", 1, 3)), "234");
  EXPECT_ERROR(corrupt, "expected 4 bytes at byte 1", cut->Store::get("a", 1, 4));
  EXPECT_EQ(cut->list("").size(), 1u);
  const auto gone = faulty_store(inner, fault(StoreFault::vanished, 0, true));
  EXPECT_FALSE(gone->get("a"));
  EXPECT_FALSE(gone->size("a"));
  EXPECT_FALSE(gone->tail("a", 2));
  EXPECT_FALSE(gone->Store::get("a", 1, 3));
  EXPECT_EQ(gone->list("").size(), 1u);
}

TEST(FaultyStore, ChangesAreRefused) {
  for (const StoreFault kind : {StoreFault::no_space, StoreFault::no_descriptors}) {
    const auto inner = make_memory_store();
    const auto store = faulty_store(inner, fault(kind, 1));
    auto upload = store->begin("b");
    EXPECT_ERROR(io, name(kind), upload->append(bytes_of("2")));
    upload.reset();
    EXPECT_FALSE(inner->has("b"));
    const auto full = faulty_store(inner, fault(kind, 0, true));
    EXPECT_ERROR(io, "injected fault", full->put_text("c", "3"));
    EXPECT_ERROR(io, "injected fault", full->scratch());
    EXPECT_ERROR(io, "injected fault", full->make_folder("d"));
    if (kind == StoreFault::no_space) full->remove("c");
  }
}

}  // namespace
}  // namespace tegula
