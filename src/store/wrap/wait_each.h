// Loops whose items wait for a store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "store/store.h"
#include "tegula/work.h"

namespace tegula {

// Calls body(i) for every i in [0, n) in parallel, as parallel_for() does. With a remote store as many calls run at
// once as it wants requests in flight, whatever the number of threads, as far as a quarter of the budget of `work`
// holds `bytes` for each of them.
void wait_each(const Store& store, const Work& work, std::size_t n, std::uint64_t bytes,
               const std::function<void(std::size_t)>& body);

}  // namespace tegula
