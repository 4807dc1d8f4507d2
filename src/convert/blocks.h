// Walking an array in boxes of bounded size.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tegula/selection.h"

namespace tegula {

// Boxes that cover a shape in C order, each a whole number of chunks along every axis and as near to `cells` as that
// allows (one chunk at least).
class Blocks {
 public:
  Blocks(std::vector<std::uint64_t> shape, std::span<const std::uint64_t> chunks, std::uint64_t cells);

  std::uint64_t count() const { return count_; }
  std::vector<std::uint64_t> start(std::uint64_t i) const;
  std::vector<std::uint64_t> extent(std::uint64_t i) const;
  Selection selection(std::uint64_t i) const;

 private:
  std::vector<std::uint64_t> shape_, box_;
  std::uint64_t count_ = 1;
};

}  // namespace tegula
