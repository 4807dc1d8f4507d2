// One measured loop. Beside the mean that the library prints, "best" is the speed of the fastest single call in GiB/s:
// on a shared machine only that can be compared.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <limits>

namespace tegula::bench {

template <class Call>
void run_timed(benchmark::State& state, std::size_t bytes, const Call& call) {
  using Clock = std::chrono::steady_clock;
  double best = std::numeric_limits<double>::infinity();
  for (auto _ : state) {
    const Clock::time_point start = Clock::now();
    call();
    benchmark::ClobberMemory();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(bytes));
  state.counters["best"] = static_cast<double>(bytes) / best / (1 << 30);
}

}  // namespace tegula::bench
