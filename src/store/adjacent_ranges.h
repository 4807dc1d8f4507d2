// Ranges of a batch that can be read at once.
#pragma once

#include <cstddef>
#include <span>

#include "store/store.h"

namespace tegula {

// End of the ranges from `first` on that lie in one file, back to back.
inline std::size_t adjacent_end(std::span<const RangeRead> reads, std::size_t first) {
  std::size_t end = first + 1;
  while (end < reads.size() && reads[end].key == reads[first].key && reads[end].offset >= reads[end - 1].offset &&
         reads[end].offset - reads[end - 1].offset == reads[end - 1].into.size())
    ++end;
  return end;
}

}  // namespace tegula
