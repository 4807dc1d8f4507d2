#include "format/zarr/codec/cell_positions.h"

#include "model/strided.h"

namespace tegula::zarr {

Shape unravel(std::uint64_t i, const Shape& grid) {
  Shape at(grid.size());
  for (std::size_t a = grid.size(); a-- > 0;) {
    at[a] = i % grid[a];
    i /= grid[a];
  }
  return at;
}

std::uint64_t ravel(const Shape& at, const Shape& grid) {
  std::uint64_t i = 0;
  for (std::size_t a = 0; a < grid.size(); ++a) i = i * grid[a] + at[a];
  return i;
}

std::vector<std::uint64_t> permuted_positions(const Shape& shape, std::span<const std::uint32_t> permutation) {
  Shape permuted;
  for (const std::uint32_t axis : permutation) permuted.push_back(shape[axis]);
  std::vector<std::uint64_t> places(cell_count(shape));
  for (std::uint64_t i = 0; i < places.size(); ++i) {
    const Shape at = unravel(i, permuted);
    Shape back(shape.size());
    for (std::size_t a = 0; a < permutation.size(); ++a) back[permutation[a]] = at[a];
    places[i] = ravel(back, shape);
  }
  return places;
}

std::vector<std::uint64_t> inverse(std::span<const std::uint64_t> places) {
  std::vector<std::uint64_t> out(places.size());
  for (std::uint64_t i = 0; i < places.size(); ++i) out[places[i]] = i;
  return out;
}

std::vector<std::uint64_t> box_positions(const Shape& shape, const Shape& corner, const Shape& inner) {
  std::vector<std::uint64_t> places(cell_count(inner));
  for (std::uint64_t i = 0; i < places.size(); ++i) {
    Shape at = unravel(i, inner);
    for (std::size_t a = 0; a < at.size(); ++a) at[a] += corner[a];
    places[i] = ravel(at, shape);
  }
  return places;
}

}  // namespace tegula::zarr
