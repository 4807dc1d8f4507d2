#include "store/http/pipe_signal.h"

#include <pthread.h>

#include <ctime>

namespace tegula::http {

namespace {

bool is_pending() {
  sigset_t waiting;
  sigemptyset(&waiting);
  sigpending(&waiting);
  return sigismember(&waiting, SIGPIPE) == 1;
}

sigset_t pipe_set() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  return set;
}

}  // namespace

NoPipeSignal::NoPipeSignal() : pending_(is_pending()) {
  const sigset_t set = pipe_set();
  pthread_sigmask(SIG_BLOCK, &set, &before_);
}

NoPipeSignal::~NoPipeSignal() {
  const sigset_t set = pipe_set();
  const timespec at_once{};
  if (!pending_ && is_pending()) sigtimedwait(&set, nullptr, &at_once);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace tegula::http
