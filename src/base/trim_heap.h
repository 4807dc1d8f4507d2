// Returning freed memory to the system.
#pragma once

namespace tegula {

// Returns memory that the allocator holds for reuse. For work with a memory budget that frees blocks of many sizes.
// Takes about a millisecond; does nothing where the allocator has no such call.
void trim_heap() noexcept;

}  // namespace tegula
