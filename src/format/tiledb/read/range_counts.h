// How many of a dimension's ranges hold a value.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "format/tiledb/disk/nd_range.h"
#include "tegula/bytes.h"

namespace tegula::tiledb {

// The bounds of all ranges, sorted once: counting takes two binary searches, however many ranges there are.
class RangeCounts {
 public:
  RangeCounts() = default;
  // Bounds are in the dimension's type; text without an upper bound has no end.
  RangeCounts(const DimensionType& dimension, std::span<const Range> ranges);

  bool overlap() const { return overlap_; }  // some value lies in more than one range
  std::uint64_t count(ByteView value) const;
  std::uint64_t comparisons() const { return comparisons_; }  // of bounds with each other: what sorting cost

 private:
  DimensionType type_;
  bool overlap_ = false;
  std::uint64_t comparisons_ = 0;
  // Of numbers, as ordered integers, or of text. Texts without an upper bound have none.
  std::vector<std::uint64_t> lows_, highs_;
  std::vector<std::string> text_lows_, text_highs_;
};

}  // namespace tegula::tiledb
