#include "store/wrap/wait_each.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "base/fail.h"
#include "store/memory/memory_store.h"
#include "store/wrap/latency_store.h"
#include "support/expect_error.h"

namespace tegula {
namespace {

struct Case {
  const char* name;
  bool remote;
  unsigned threads;
  std::uint64_t bytes;
  std::size_t least, most;  // calls at once
};

constexpr std::uint64_t kMemory = 4 << 20;
const Case kCases[] = {
    {"local", false, 2, 0, 1, 2},
    {"remote", true, 2, 0, 20, 20},
    {"remote_one_thread", true, 1, 0, 20, 20},
    {"as_many_as_fit", true, 1, kMemory / 4 / 5, 5, 5},
    {"larger_than_the_budget", true, 1, 2 * kMemory, 1, 1},
};

class WaitEach : public ::testing::TestWithParam<Case> {};

// Each call waits until as many are inside as there should be.
TEST_P(WaitEach, RunsAsManyCallsAtOnceAsTheStoreWants) {
  const Case& test = GetParam();
  std::shared_ptr<Store> store = make_memory_store();
  if (test.remote) store = latency_store(store, {.in_flight = 20});
  Work work;
  work.threads = test.threads;
  work.memory = kMemory;
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t inside = 0, most = 0;
  std::vector<std::atomic<int>> calls(100);
  wait_each(*store, work, calls.size(), test.bytes, [&](std::size_t i) {
    ++calls[i];
    std::unique_lock lock(mutex);
    most = std::max(most, ++inside);
    changed.notify_all();
    changed.wait_for(lock, std::chrono::seconds(20), [&] { return most >= test.least; });
    --inside;
  });
  for (const std::atomic<int>& count : calls) EXPECT_EQ(count, 1);
  EXPECT_GE(most, test.least);
  EXPECT_LE(most, test.most);
}

INSTANTIATE_TEST_SUITE_P(All, WaitEach, ::testing::ValuesIn(kCases), [](const auto& each) { return each.param.name; });

TEST(WaitLoop, AnErrorEndsIt) {
  const auto store = latency_store(make_memory_store());
  EXPECT_ERROR(io, "item 3", wait_each(*store, {}, 1000, 0, [](std::size_t i) {
                 if (i == 3) fail(ErrorKind::io, "item 3 fails");
               }));
}

TEST(WaitLoop, ACancellationEndsTheWaits) {
  const auto store = latency_store(make_memory_store(), {.round_trip = std::chrono::hours(1)});
  Cancel cancel;
  Work work;
  work.cancel = &cancel;
  EXPECT_ERROR(cancelled, "", wait_each(*store, work, 8, 0, [&](std::size_t i) {
                 if (i == 7) cancel.request();
                 store->get("file");
               }));
}

}  // namespace
}  // namespace tegula
