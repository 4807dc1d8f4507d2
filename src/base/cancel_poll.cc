#include "base/cancel_poll.h"

namespace tegula {

namespace {

thread_local CancelPoll* innermost = nullptr;

}  // namespace

CancelPoll::CancelPoll() noexcept : outer_(innermost) { innermost = this; }
CancelPoll::~CancelPoll() { innermost = outer_; }

void CancelPoll::run() {
  if (innermost) innermost->poll();
}

}  // namespace tegula
