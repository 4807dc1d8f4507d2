#include "counting/allocations.h"

#include <dlfcn.h>
#include <execinfo.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string_view>

namespace tegula::testing {

namespace {

std::atomic<std::uint64_t> count{0}, bytes{0}, large{0}, fault_at{UINT64_MAX};
std::atomic<bool> lasting_fault{false}, fault_struck{false};

// nlohmann's library does not survive a failure everywhere: its destructors allocate.
bool in_json() {
  void* frames[24];
  const int depth = ::backtrace(frames, 24);
  for (int i = 0; i < depth; ++i) {
    Dl_info info;
    if (::dladdr(frames[i], &info) == 0 || !info.dli_sname) continue;
    if (std::string_view(info.dli_sname).find("nlohmann") != std::string_view::npos) return true;
  }
  return false;
}

void note(std::size_t size) {
  count.fetch_add(1, std::memory_order_relaxed);
  bytes.fetch_add(size, std::memory_order_relaxed);
  if (size < kLarge) return;
  const std::uint64_t number = large.fetch_add(1, std::memory_order_relaxed);
  const std::uint64_t at = fault_at.load(std::memory_order_relaxed);
  if (number < at || (number > at && !lasting_fault.load(std::memory_order_relaxed))) return;
  if (in_json()) return;
  fault_struck = true;
  throw std::bad_alloc();
}

void* checked(void* p) {
  if (!p) throw std::bad_alloc();
  return p;
}

}  // namespace

Allocations allocations() { return {count, bytes, large}; }

AllocationFault::AllocationFault(std::uint64_t at, bool lasting) {
  in_json();  // the first call loads what unwinds frames
  fault_struck = false;
  lasting_fault = lasting;
  fault_at = large + at;
}
AllocationFault::~AllocationFault() { fault_at = UINT64_MAX; }
bool AllocationFault::struck() { return fault_struck; }

}  // namespace tegula::testing

// The forms for arrays and those that do not throw call these.
[[gnu::noinline]] void* operator new(std::size_t size) {
  tegula::testing::note(size);
  return tegula::testing::checked(std::malloc(size == 0 ? 1 : size));
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  tegula::testing::note(size);
  const auto line = static_cast<std::size_t>(alignment);
  return tegula::testing::checked(std::aligned_alloc(line, (size + line) / line * line));
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
