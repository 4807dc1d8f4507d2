#include "base/current_work.h"

#include "base/cancel_poll.h"

namespace tegula {

namespace {

thread_local const Work* innermost_work = nullptr;

}  // namespace

CurrentWork::CurrentWork(const Work& work) noexcept : outer_(innermost_work) { innermost_work = &work; }
CurrentWork::~CurrentWork() { innermost_work = outer_; }

void CurrentWork::check() {
  if (innermost_work && innermost_work->cancel)
    innermost_work->cancel->check();
  else
    CancelPoll::run();
}

const Work* CurrentWork::get() noexcept { return innermost_work; }

}  // namespace tegula
