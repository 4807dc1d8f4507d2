#include "store/wrap/fetch_each.h"

#include <gtest/gtest.h>

#include <atomic>

#include "base/fail.h"
#include "store/memory/memory_store.h"
#include "store/wrap/counting_store.h"
#include "store/wrap/latency_store.h"
#include "support/expect_error.h"

namespace tegula {
namespace {

constexpr std::size_t kItems = 200;
constexpr std::size_t kBytes = 100;

struct Filled {
  explicit Filled(bool remote) : store(counting_store(remote ? latency_store(memory) : memory, counts)) {
    Bytes bytes(kItems * kBytes);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i / kBytes);
    memory->put("all", ByteView(bytes));
    for (std::size_t i = 0; i < kItems; i += 2)
      memory->put(std::to_string(i), ByteView(bytes).subspan(i * kBytes, kBytes));
  }
  std::shared_ptr<StoreCounts> counts = std::make_shared<StoreCounts>();
  std::shared_ptr<Store> memory = make_memory_store();
  std::shared_ptr<Store> store;
};

// Each item reads its range of one file, and a file of its own if there is one.
struct Case {
  const char* name;
  bool remote;
  unsigned threads;
  bool ranges, files, planned;
  std::uint64_t memory;
  std::uint64_t most_batches;
};
const Case kCases[] = {
    {"local", false, 2, true, true, true, 1 << 20, 2 * kItems},
    {"ranges", true, 2, true, false, true, 1 << 20, 1},
    {"ranges_one_thread", true, 1, true, false, true, 1 << 20, 1},
    {"files", true, 2, false, true, true, 1 << 20, 1},
    {"files_and_ranges", true, 3, true, true, true, 1 << 20, 2},
    {"little_memory", true, 2, true, false, true, 80 * kBytes, 20},
    {"one_item_at_a_time", true, 2, true, false, true, 4 * kBytes, kItems},
    {"items_larger_than_the_budget", true, 2, true, false, true, kBytes, kItems},
    {"not_planned", true, 2, true, true, false, 1 << 20, 2 * kItems},
};

class FetchEach : public ::testing::TestWithParam<Case> {};

TEST_P(FetchEach, GivesEveryItemItsBytes) {
  const Case& test = GetParam();
  const Filled filled(test.remote);
  Work work;
  work.threads = test.threads;
  work.memory = test.memory;
  std::vector<std::atomic<int>> used(kItems);
  fetch_each(
      *filled.store, work, kItems,
      [&](std::size_t i, Wants& wants) {
        if (test.ranges && test.planned) wants.range("all", i * kBytes, kBytes);
        if (test.files && test.planned) wants.file(std::to_string(i), kBytes);
      },
      [&](std::size_t i, const Store& from) {
        ++used[i];
        if (test.ranges) {
          Bytes bytes(kBytes);
          RangeRead read{"all", i * kBytes, bytes};
          from.get(std::span(&read, 1));
          EXPECT_TRUE(read.found);
          EXPECT_EQ(bytes, Bytes(kBytes, static_cast<std::byte>(i)));
        }
        if (test.files) {
          const std::optional<Bytes> bytes = from.get(std::to_string(i));
          EXPECT_EQ(bytes.has_value(), i % 2 == 0);
          EXPECT_EQ(bytes.value_or(Bytes(kBytes, static_cast<std::byte>(i))), Bytes(kBytes, static_cast<std::byte>(i)));
        }
      });
  for (const std::atomic<int>& times : used) EXPECT_EQ(times, 1);
  EXPECT_LE(filled.counts->batches, test.most_batches);
}

TEST_P(FetchEach, AnErrorOfAnItemEndsTheLoop) {
  const Case& test = GetParam();
  const Filled filled(test.remote);
  Work work;
  work.threads = test.threads;
  work.memory = test.memory;
  EXPECT_ERROR(
      corrupt, "item 7",
      fetch_each(
          *filled.store, work, kItems, [&](std::size_t i, Wants& wants) { wants.range("all", i * kBytes, kBytes); },
          [&](std::size_t i, const Store&) {
            if (i == 7) fail(ErrorKind::corrupt, "item 7 is damaged");
          }));
}

INSTANTIATE_TEST_SUITE_P(All, FetchEach, ::testing::ValuesIn(kCases), [](const auto& each) { return each.param.name; });

TEST(FetchLoop, AFailingPlanOrReadEndsTheLoop) {
  const Filled filled(true);
  EXPECT_ERROR(io, "no plan",
               fetch_each(
                   *filled.store, {}, kItems, [](std::size_t, Wants&) { fail(ErrorKind::io, "no plan"); },
                   [](std::size_t, const Store&) {}));
  EXPECT_ERROR(
      corrupt, "all",
      fetch_each(
          *filled.store, {}, 2, [](std::size_t i, Wants& wants) { wants.range("all", i * kItems * kBytes, kBytes); },
          [](std::size_t, const Store&) {}));
}

TEST(FetchLoop, CancellationEndsTheWait) {
  const auto store = latency_store(make_memory_store(), {.round_trip = std::chrono::hours(1)});
  Cancel cancel;
  Work work;
  work.cancel = &cancel;
  EXPECT_ERROR(cancelled, "",
               fetch_each(
                   *store, work, 2,
                   [&](std::size_t i, Wants& wants) {
                     wants.range("all", 0, 1);
                     if (i == 1) cancel.request();
                   },
                   [](std::size_t, const Store&) {}));
}

}  // namespace
}  // namespace tegula
