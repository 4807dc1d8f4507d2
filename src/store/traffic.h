// What went over the network.
#pragma once

#include <atomic>
#include <cstdint>

namespace tegula {

struct Traffic {
  std::atomic<std::uint64_t> requests{0};  // every try counts
  std::atomic<std::uint64_t> retries{0};
  std::atomic<std::uint64_t> received{0}, sent{0};  // bytes of bodies
};

}  // namespace tegula
