// A store that behaves as if another one were far away.
#pragma once

#include <chrono>
#include <memory>

#include "store/store.h"

namespace tegula {

struct Latency {
  std::chrono::microseconds round_trip{0};  // what a request waits
  unsigned in_flight = 64;
  std::uint64_t gap = 64 << 10;
  std::uint64_t part = 8 << 20;
  bool lists = true;
};

// Has the hints of a remote store: requests in flight, no renames and no empty folders. A batch waits one round trip
// for each `in_flight` ranges or files, and its ranges arrive in another order than they were asked for. A wait ends
// with Error(cancelled) when the work of its thread is cancelled. For tests, and to measure.
std::shared_ptr<Store> latency_store(std::shared_ptr<Store> store, const Latency& latency = {});

}  // namespace tegula
