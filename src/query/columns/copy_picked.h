// Copying cells of a fixed size from scattered places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace tegula {

// Calls body<Bytes>() with the cell size as a constant where that makes copies cheap, else with 0.
template <class Body>
void with_cell_size(std::uint64_t size, Body body) {
  switch (size) {
    case 1:
      return body.template operator()<1>();
    case 2:
      return body.template operator()<2>();
    case 4:
      return body.template operator()<4>();
    case 8:
      return body.template operator()<8>();
    case 16:
      return body.template operator()<16>();
    default:
      return body.template operator()<0>();
  }
}

// Copies the cells of `size` bytes at the numbers `cells` to `out`, one behind the other.
template <class Number>
void copy_picked(const std::byte* from, std::uint64_t size, std::span<const Number> cells, std::byte* out) {
  with_cell_size(size, [&]<std::size_t Size>() {
    const std::uint64_t width = Size ? Size : size;
    for (std::size_t i = 0; i < cells.size(); ++i)
      std::memcpy(out + i * width, from + std::uint64_t{cells[i]} * width, Size ? Size : width);
  });
}

}  // namespace tegula
