// A store whose changes fail from some point on, as after a crash.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "store/store.h"

namespace tegula {

// Change number `at` (put, commit or appear, remove, make_folder; counted from 0) is carried out only if `done` is set;
// it and every later change throw Error(io). Reads still work. `changes` counts the changes requested.
struct FaultPlan {
  std::uint64_t at = UINT64_MAX;
  bool done = false;
  std::atomic<std::uint64_t> changes{0};
};
std::shared_ptr<Store> failing_store(std::shared_ptr<Store> store, std::shared_ptr<FaultPlan> plan);

}  // namespace tegula
