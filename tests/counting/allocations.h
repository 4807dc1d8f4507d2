// What the program allocates, counted and made to fail: this program replaces operator new.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tegula::testing {

struct Allocations {
  std::uint64_t count = 0, bytes = 0;
  std::uint64_t large = 0;  // of at least kLarge bytes
};
inline constexpr std::size_t kLarge = 96;

Allocations allocations();  // since the program began, on all threads

// While it lives, large allocation number `at` from now on (counted from 0) throws std::bad_alloc; with `lasting` all
// later ones do, too. Those of the JSON library never do. One at a time.
class AllocationFault {
 public:
  AllocationFault(std::uint64_t at, bool lasting);
  ~AllocationFault();
  AllocationFault(const AllocationFault&) = delete;
  AllocationFault& operator=(const AllocationFault&) = delete;
  static bool struck();  // since the last one began
};

}  // namespace tegula::testing
