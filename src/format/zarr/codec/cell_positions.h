// Positions of cells in boxes: a position is the number of a cell in C order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "format/zarr/codec/codec_chain.h"

namespace tegula::zarr {

// For each cell of a box with permuted axes, in C order, its position in the box of `shape` without the permutation.
std::vector<std::uint64_t> permuted_positions(const Shape& shape, std::span<const std::uint32_t> permutation);
// The inverse of a permutation of 0 .. n-1.
std::vector<std::uint64_t> inverse(std::span<const std::uint64_t> places);
// For each cell of the inner box at `corner`, in C order, its position in the box of `shape`.
std::vector<std::uint64_t> box_positions(const Shape& shape, const Shape& corner, const Shape& inner);
// Grid coordinates of number i in C order.
Shape unravel(std::uint64_t i, const Shape& grid);
std::uint64_t ravel(const Shape& at, const Shape& grid);

}  // namespace tegula::zarr
