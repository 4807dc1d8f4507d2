// What the allocator keeps for later.
#pragma once

namespace tegula {

// Hands freed memory back to the system, for work under a budget that frees blocks of many sizes. Costs a
// millisecond or so; does nothing where the allocator cannot.
void trim_heap() noexcept;

}  // namespace tegula
