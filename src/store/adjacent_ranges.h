// Ranges of a batch that one request can read.
#pragma once

#include <cstddef>
#include <span>

#include "store/store.h"

namespace tegula {

// One past the last of the ranges from `first` on that follow each other in one file without gaps.
inline std::size_t adjacent_end(std::span<const RangeRead> reads, std::size_t first) {
  std::size_t end = first + 1;
  while (end < reads.size() && reads[end].key == reads[first].key && reads[end].offset >= reads[end - 1].offset &&
         reads[end].offset - reads[end - 1].offset == reads[end - 1].into.size())
    ++end;
  return end;
}

}  // namespace tegula
