// Positions of cells in boxes: a position is the number of a cell in C order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "format/zarr/codec/codec_chain.h"

namespace tegula::zarr {

// Place in a box of `shape` (C order) of each cell of the same box with its axes permuted.
std::vector<std::uint64_t> permuted_positions(const Shape& shape, std::span<const std::uint32_t> permutation);
// Numbers 0 .. n-1 the other way round: where each place went.
std::vector<std::uint64_t> inverse(std::span<const std::uint64_t> places);
// Place in a box of `shape` of each cell of the inner box at `corner`, C order of the inner box.
std::vector<std::uint64_t> box_positions(const Shape& shape, const Shape& corner, const Shape& inner);
// Grid coordinates of number i in C order.
Shape unravel(std::uint64_t i, const Shape& grid);
std::uint64_t ravel(const Shape& at, const Shape& grid);

}  // namespace tegula::zarr
