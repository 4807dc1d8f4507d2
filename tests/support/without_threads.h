// Calls where the system grants no thread.
#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <system_error>
#include <thread>

#include "support/sanitized.h"

namespace tegula::testing {

// Runs `holds` in a child process that gets no thread, and expects it to return true. A thread needs address space for
// its stack: with a limit just above what is used, none can be made.
inline void expect_without_threads(const std::function<bool()>& holds) {
  if (kSanitized) GTEST_SKIP() << "sanitizers need more address space than the limit leaves";
  const pid_t child = ::fork();
  if (child == 0) {
    std::ifstream statm("/proc/self/statm");
    rlim_t pages = 0;
    statm >> pages;
    const rlim_t most = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + (1 << 20);
    const rlimit limit{most, most};
    if (::setrlimit(RLIMIT_AS, &limit) != 0) ::_exit(2);
    try {  // the stacks of threads that ended before may be used once more
      for (int i = 0; i < 100; ++i) std::thread([] { ::pause(); }).detach();
      ::_exit(3);  // the limit does not limit
    } catch (const std::system_error&) {
    }
    bool good = false;
    try {
      good = holds();
    } catch (...) {
    }
    ::_exit(good ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace tegula::testing
