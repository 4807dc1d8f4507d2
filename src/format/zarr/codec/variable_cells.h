// Cells of any length, moved about in their places.
#pragma once

#include <span>

#include "format/zarr/codec/codec_chain.h"

namespace tegula::zarr {

// The items at `order`, one after the other.
Items pick_items(const Items& items, std::span<const std::uint64_t> order);
inline std::uint64_t count_of(const Items& items) { return items.offsets.size() - 1; }
inline ByteView item_of(const Items& items, std::uint64_t i) {
  return ByteView(items.data).subspan(items.offsets[i], items.offsets[i + 1] - items.offsets[i]);
}
void push_item(Items& items, ByteView item);

// Place in a box of `shape` (C order) of each cell of the same box with its axes permuted.
std::vector<std::uint64_t> permuted_places(const Shape& shape, std::span<const std::uint32_t> permutation);
// Numbers 0 .. n-1 the other way round: where each place went.
std::vector<std::uint64_t> inverse(std::span<const std::uint64_t> places);
// Place in a box of `shape` of each cell of the inner box at `corner`, C order of the inner box.
std::vector<std::uint64_t> box_places(const Shape& shape, const Shape& corner, const Shape& inner);
// Grid coordinates of number i in C order.
Shape unravel(std::uint64_t i, const Shape& grid);
std::uint64_t ravel(const Shape& at, const Shape& grid);

}  // namespace tegula::zarr
