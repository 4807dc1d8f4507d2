#include "format/tiledb/read/range_counts.h"

#include <algorithm>

#include "format/tiledb/disk/ordered_bits.h"

namespace tegula::tiledb {

namespace {

std::uint64_t ordered_of(const DimensionType& dimension, const Value& value) {
  Bytes bytes;
  value_to_bytes(dimension.type, value, bytes);
  return to_ordered(dimension.type, bytes.data());
}

// Sorted by their lower and by their upper bounds, ranges are disjoint when each ends before the next one begins.
template <class Bound>
bool sort_bounds(std::vector<Bound>& lows, std::vector<Bound>& highs, std::uint64_t& comparisons) {
  const auto less = [&](const Bound& a, const Bound& b) {
    ++comparisons;
    return a < b;
  };
  std::sort(lows.begin(), lows.end(), less);
  std::sort(highs.begin(), highs.end(), less);
  for (std::size_t i = 1; i < lows.size(); ++i)
    if (i - 1 >= highs.size() || !less(highs[i - 1], lows[i])) return true;
  return false;
}

// Those that begin at the value or before it, without those that end before it.
template <class Bound, class Given>
std::uint64_t count_in(const std::vector<Bound>& lows, const std::vector<Bound>& highs, const Given& value) {
  const auto begun = std::upper_bound(lows.begin(), lows.end(), value) - lows.begin();
  const auto ended = std::lower_bound(highs.begin(), highs.end(), value) - highs.begin();
  return static_cast<std::uint64_t>(begun - ended);
}

}  // namespace

RangeCounts::RangeCounts(const DimensionType& dimension, std::span<const Range> ranges) : type_(dimension) {
  for (const Range& range : ranges) {
    if (type_.var) {
      text_lows_.push_back(std::get<std::string>(range.low));
      if (const auto* high = std::get_if<std::string>(&range.high)) text_highs_.push_back(*high);
    } else {
      lows_.push_back(ordered_of(type_, range.low));
      highs_.push_back(ordered_of(type_, range.high));
    }
  }
  overlap_ = type_.var ? sort_bounds(text_lows_, text_highs_, comparisons_) : sort_bounds(lows_, highs_, comparisons_);
}

std::uint64_t RangeCounts::count(ByteView value) const {
  if (type_.var) return count_in(text_lows_, text_highs_, text_of(value));
  return count_in(lows_, highs_, to_ordered(type_.type, value.data()));
}

}  // namespace tegula::tiledb
