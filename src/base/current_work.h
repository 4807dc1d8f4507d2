// The work that a thread is busy with, for those who wait and have no Work at hand.
#pragma once

#include "tegula/work.h"

namespace tegula {

// While one exists, check() on this thread checks for the cancellation of that work. They nest. parallel_for() has one
// on every thread of a loop; stores check while they wait for a network.
class CurrentWork {
 public:
  explicit CurrentWork(const Work& work) noexcept;
  ~CurrentWork();
  CurrentWork(const CurrentWork&) = delete;
  CurrentWork& operator=(const CurrentWork&) = delete;

  // Throws Error(cancelled) when the innermost work of this thread was cancelled.
  static void check();
  // The innermost work of this thread; null when there is none.
  static const Work* get() noexcept;

 private:
  const Work* outer_;
};

}  // namespace tegula
