#include "tegula/bytes.h"

#include <sys/mman.h>

#include <cstdlib>

namespace tegula::detail {

namespace {
constexpr std::size_t kLarge = 4u << 20;
// glibc's memcpy is many times slower when the destination lies 16 bytes behind the source modulo 4096, which is where
// malloc puts blocks; blocks aligned to a cache line avoid that.
constexpr std::align_val_t kLine{64};
constexpr std::size_t kHugePage = 2u << 20;
}  // namespace

void* allocate_bytes(std::size_t size) {
  if (size < kLarge) return ::operator new(size, kLine);
  const std::size_t rounded = (size + kHugePage - 1) / kHugePage * kHugePage;
  void* p = rounded < size ? nullptr : std::aligned_alloc(kHugePage, rounded);
  if (!p) throw std::bad_alloc();
  ::madvise(p, rounded, MADV_HUGEPAGE);  // advice only: a kernel without huge pages is fine
  return p;
}

void free_bytes(void* p, std::size_t size) noexcept {
  if (size < kLarge)
    ::operator delete(p, kLine);
  else
    std::free(p);
}

}  // namespace tegula::detail
