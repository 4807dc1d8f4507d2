// Parallel loops.
#pragma once

#include <cstddef>
#include <functional>

#include "tegula/work.h"

namespace tegula {

// Calls body(i) for every i in [0, n) on up to work.threads threads, the caller among them, and returns when all are
// done. The first exception thrown stops the loop and is rethrown here; so is Error(cancelled) when work.cancel asks
// for it. Loops may be nested. Results must not depend on the order of calls.
void parallel_for(const Work& work, std::size_t n, const std::function<void(std::size_t)>& body);

// The number of threads a loop under `work` uses at most.
unsigned thread_count(const Work& work) noexcept;

}  // namespace tegula
