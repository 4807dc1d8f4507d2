// A box of cells of a dense array.
#pragma once

#include <cstdint>
#include <vector>

namespace tegula {

// Cells are counted from the start of the domain.
struct CellBox {
  std::vector<std::uint64_t> first, count;
  friend bool operator==(const CellBox&, const CellBox&) = default;
};

}  // namespace tegula
