#include "base/poll.h"

namespace tegula {

namespace {

thread_local Poll* innermost = nullptr;

}  // namespace

Poll::Poll() noexcept : outer_(innermost) { innermost = this; }
Poll::~Poll() { innermost = outer_; }

void Poll::run() {
  if (innermost) innermost->poll();
}

}  // namespace tegula
