// Stores around stores: counting, tracing, failing on purpose.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "store/store.h"

namespace tegula {

// Requests as an object store would bill them: a batch counts one request per range, neighbours in a file as one.
struct StoreCounts {
  std::atomic<std::uint64_t> reads{0}, bytes_read{0}, sizes{0}, lists{0}, writes{0}, bytes_written{0}, removes{0};
};
std::shared_ptr<Store> counting_store(std::shared_ptr<Store> store, std::shared_ptr<StoreCounts> counts);

// Calls `sink` with one line per request: "read __fragments/x/a0.tdb 0+65536". From any thread.
std::shared_ptr<Store> tracing_store(std::shared_ptr<Store> store, std::function<void(std::string_view)> sink);

// The process "dies" at the n-th change (put, commit or appear, remove, make_folder; from 0): that change is done or
// not, as `done` says, and it and every later change throws Error(io). Reads go on. `changes` counts the changes asked
// for.
struct FaultPlan {
  std::uint64_t at = UINT64_MAX;
  bool done = false;
  std::atomic<std::uint64_t> changes{0};
};
std::shared_ptr<Store> failing_store(std::shared_ptr<Store> store, std::shared_ptr<FaultPlan> plan);

}  // namespace tegula
