// Cuts a dense array into boxes of bounded size.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/cell_box.h"
#include "tegula/selection.h"

namespace tegula {

Selection selection_of(const CellBox& box);
// A double, because a domain may have more than 2^64 cells.
double cells_of(const CellBox& box);

// Cuts a box into smaller boxes in C order. Each is a whole number of chunks along every axis, clipped to the box, and
// has about `cells` cells, but at least one chunk.
class Blocks {
 public:
  Blocks(CellBox box, std::span<const std::uint64_t> chunks, std::uint64_t cells);
  Blocks(std::vector<std::uint64_t> shape, std::span<const std::uint64_t> chunks, std::uint64_t cells);

  std::uint64_t count() const { return count_; }
  CellBox box(std::uint64_t i) const;

 private:
  const CellBox whole_;
  // By axis: where the chunk of the first cell begins, and the length and number of the boxes from there.
  std::vector<std::uint64_t> base_, step_, along_;
  std::uint64_t count_ = 1;
};

}  // namespace tegula
