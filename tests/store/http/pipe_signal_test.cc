#include "store/http/pipe_signal.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>

namespace tegula {
namespace {

// Writes to a pipe that nobody reads, and returns what went wrong.
int write_to_closed() {
  int ends[2];
  if (::pipe(ends) != 0) return 0;
  ::close(ends[0]);
  errno = 0;
  const bool failed = ::write(ends[1], "x", 1) < 0;
  const int error = errno;
  ::close(ends[1]);
  return failed ? error : 0;
}

bool blocked() {
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  return sigismember(&mask, SIGPIPE) == 1;
}

bool pending() {
  sigset_t waiting;
  sigpending(&waiting);
  return sigismember(&waiting, SIGPIPE) == 1;
}

TEST(NoPipeSignal, AClosedConnectionIsAnErrorOfTheWrite) {
  for (int i = 0; i < 2; ++i) {
    {
      const http::NoPipeSignal no_signal;
      EXPECT_EQ(write_to_closed(), EPIPE);
      const http::NoPipeSignal inner;
      EXPECT_EQ(write_to_closed(), EPIPE);
    }
    EXPECT_FALSE(blocked());
    EXPECT_FALSE(pending());
  }
}

TEST(NoPipeSignal, OneThatWasThereBeforeStays) {
  sigset_t set, before;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &set, &before);
  EXPECT_EQ(write_to_closed(), EPIPE);
  {
    const http::NoPipeSignal no_signal;
    EXPECT_EQ(write_to_closed(), EPIPE);
  }
  EXPECT_TRUE(blocked());
  EXPECT_TRUE(pending());
  const timespec at_once{};
  EXPECT_EQ(sigtimedwait(&set, nullptr, &at_once), SIGPIPE);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace
}  // namespace tegula
