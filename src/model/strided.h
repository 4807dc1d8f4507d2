// Copies between N-d boxes of memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tegula/bytes.h"

namespace tegula {

// Copies items of `item` bytes over a box: strides are in bytes and may be negative or 0. What is contiguous on both
// sides is copied at once, even across axes.
void copy_box(std::byte* to, std::span<const std::int64_t> to_strides, const std::byte* from,
              std::span<const std::int64_t> from_strides, std::span<const std::uint64_t> shape, std::size_t item);

// Sets every item of a box.
void fill_box(std::byte* to, std::span<const std::int64_t> to_strides, std::span<const std::uint64_t> shape,
              ByteView item);

// Byte strides of a contiguous array, last axis fastest (or first, with `fortran`).
std::vector<std::int64_t> contiguous_strides(std::span<const std::uint64_t> shape, std::size_t item,
                                             bool fortran = false);

// Product of the extents. Throws invalid_argument past 2^64.
std::uint64_t cell_count(std::span<const std::uint64_t> shape);

}  // namespace tegula
