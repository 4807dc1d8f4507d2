#include "base/parallel.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>
#include <vector>

#include "base/context.h"
#include "base/fail.h"
#include "support/expect_error.h"
#include "support/without_threads.h"

namespace tegula {
namespace {

Work threads(unsigned n) {
  Work work;
  work.threads = n;
  return work;
}

int threads_of_this_process() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("Threads:")) return std::stoi(line.substr(8));
  return -1;
}

// Only proves something when it runs alone: other tests create the pool.
TEST(Parallel, OneThreadMakesNoPool) {
  const int before = threads_of_this_process();
  int sum = 0;
  parallel_for(threads(1), 100, [&](std::size_t i) { sum += static_cast<int>(i); });
  EXPECT_EQ(sum, 4950);
  EXPECT_EQ(threads_of_this_process(), before);
}

TEST(Parallel, EveryIndexOnce) {
  for (const unsigned n : {1u, 2u, 8u}) {
    std::vector<std::atomic<int>> seen(10007);
    parallel_for(threads(n), seen.size(), [&](std::size_t i) { ++seen[i]; });
    for (const auto& count : seen) ASSERT_EQ(count.load(), 1);
  }
  parallel_for(threads(8), 0, [](std::size_t) { FAIL(); });
}

TEST(Parallel, UsesSeveralThreads) {
  std::atomic<int> waiting{0};
  std::set<std::thread::id> ids;
  std::mutex mutex;
  parallel_for(threads(4), 4, [&](std::size_t) {
    ++waiting;
    while (waiting < 2) std::this_thread::yield();  // cannot end unless two run at once
    const std::lock_guard lock(mutex);
    ids.insert(std::this_thread::get_id());
  });
  EXPECT_GE(ids.size(), 2u);
}

TEST(Parallel, FirstExceptionStopsTheLoopAndKeepsItsContext) {
  std::atomic<int> calls{0};
  const Context doing([] { return std::string("outer work"); });
  EXPECT_ERROR(corrupt, "outer work: bad tile", parallel_for(threads(4), 1'000'000, [&](std::size_t) {
                 ++calls;
                 fail(ErrorKind::corrupt, "bad tile");
               }));
  EXPECT_LE(calls.load(), 4);
}

TEST(Parallel, CancelCrossesIt) {
  for (const unsigned n : {1u, 4u}) {
    Cancel cancel;
    Work work = threads(n);
    work.cancel = &cancel;
    std::atomic<int> calls{0};
    EXPECT_ERROR(cancelled, "stopped on request", parallel_for(work, 1'000'000, [&](std::size_t) {
                   if (++calls == 10) cancel.request();
                 }));
    EXPECT_LT(calls.load(), 1000);
  }
}

TEST(Parallel, NestedLoopsDoNotDeadlock) {
  std::atomic<int> calls{0};
  parallel_for(threads(4), 8, [&](std::size_t) {
    parallel_for(threads(4), 8, [&](std::size_t) { parallel_for(threads(4), 8, [&](std::size_t) { ++calls; }); });
  });
  EXPECT_EQ(calls.load(), 512);
}

TEST(Parallel, ManyLoopsAtOnce) {
  std::vector<std::thread> callers;
  std::atomic<int> calls{0};
  for (int t = 0; t < 8; ++t)
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round) parallel_for(threads(3), 5, [&](std::size_t) { ++calls; });
    });
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(calls.load(), 8 * 200 * 5);
}

TEST(Parallel, WorksAfterFork) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer ends a process that makes threads after a fork";
#endif
  std::atomic<int> calls{0};
  parallel_for(threads(4), 100, [&](std::size_t) { ++calls; });
  const pid_t child = ::fork();
  if (child == 0) {
    std::atomic<int> mine{0};
    std::atomic<int> inside{0};
    ::alarm(20);
    parallel_for(threads(2), 2, [&](std::size_t) {
      ++inside;
      while (inside < 2) std::this_thread::yield();  // needs a second thread, which the child does not inherit
      ++mine;
    });
    ::_exit(mine == 2 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(Parallel, RunsOnTheCallerWhenNoThreadCanBeMade) {
  testing::expect_without_threads([] {
    int calls = 0;  // plain: one thread works
    parallel_for(threads(4), 100, [&](std::size_t) { ++calls; });
    return calls == 100;
  });
}

}  // namespace
}  // namespace tegula
