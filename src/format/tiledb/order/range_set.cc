#include "format/tiledb/order/range_set.h"

#include <algorithm>
#include <limits>

#include "format/tiledb/disk/ordered.h"

namespace tegula::tiledb {

namespace {

std::uint64_t ordered_of(const DimensionType& dimension, const Value& value) {
  Bytes bytes;
  value_to_bytes(dimension.type, value, bytes);
  return to_ordered(dimension.type, bytes.data());
}

Overlap both(Overlap a, Overlap b) { return std::min(a, b); }

}  // namespace

void RangeList::add(const Range& range) {
  whole_ = false;
  if (type_.var) {
    const auto* high = std::get_if<std::string>(&range.high);
    texts_.push_back({std::get<std::string>(range.low), high ? *high : std::string(), false, high == nullptr});
  } else {
    numbers_.emplace_back(ordered_of(type_, range.low), ordered_of(type_, range.high));
  }
}

void RangeList::finish() {
  std::sort(numbers_.begin(), numbers_.end());
  std::size_t kept = 0;
  for (const auto& range : numbers_) {
    if (kept != 0 && (range.first == 0 || range.first - 1 <= numbers_[kept - 1].second))
      numbers_[kept - 1].second = std::max(numbers_[kept - 1].second, range.second);
    else
      numbers_[kept++] = range;
  }
  numbers_.resize(kept);

  std::sort(texts_.begin(), texts_.end(), [](const TextRange& a, const TextRange& b) { return a.low < b.low; });
  kept = 0;
  for (TextRange& range : texts_) {
    if (kept != 0 && !above(texts_[kept - 1], range.low)) {
      TextRange& last = texts_[kept - 1];
      last.unbounded = last.unbounded || range.unbounded;
      last.high = std::max(last.high, range.high);
    } else if (TextRange& to = texts_[kept++]; &to != &range) {
      to = std::move(range);
    }
  }
  texts_.resize(kept);
}

bool RangeList::above(const TextRange& range, std::string_view value) const {
  if (range.unbounded) return false;
  return range.open ? value >= range.high : value > range.high;
}

Overlap RangeList::overlap(ByteView low, ByteView high) const {
  if (whole_) return Overlap::all;
  if (type_.var) {
    const std::string_view lo = text_of(low), hi = text_of(high);
    const auto at =
        std::partition_point(texts_.begin(), texts_.end(), [&](const TextRange& range) { return above(range, lo); });
    if (at == texts_.end() || at->low > hi) return Overlap::none;
    return at->low <= lo && !above(*at, hi) ? Overlap::all : Overlap::some;
  }
  const std::uint64_t lo = to_ordered(type_.type, low.data()), hi = to_ordered(type_.type, high.data());
  const auto at = std::lower_bound(numbers_.begin(), numbers_.end(), lo,
                                   [](const auto& range, std::uint64_t v) { return range.second < v; });
  if (at == numbers_.end() || at->first > hi) return Overlap::none;
  return at->first <= lo && hi <= at->second ? Overlap::all : Overlap::some;
}

void RangeList::filter(const ColumnView& cells, std::span<std::uint8_t> mask) const {
  if (whole_) return;
  if (type_.var) {
    for (std::size_t i = 0; i < mask.size(); ++i) {
      if (!mask[i]) continue;
      const ByteView value(cells.data + cells.offsets[i], cells.offsets[i + 1] - cells.offsets[i]);
      mask[i] = contains(value);
    }
    return;
  }
  with_number(type_.type, [&]<class T>(T) {
    if (numbers_.size() == 1) {
      const auto [low, high] = numbers_[0];
      const std::uint64_t width = high - low;
      for (std::size_t i = 0; i < mask.size(); ++i)
        mask[i] &= static_cast<std::uint8_t>(to_ordered(load_le<T>(cells.data + i * sizeof(T))) - low <= width);
      return;
    }
    for (std::size_t i = 0; i < mask.size(); ++i) {
      const std::uint64_t value = to_ordered(load_le<T>(cells.data + i * sizeof(T)));
      const auto at = std::lower_bound(numbers_.begin(), numbers_.end(), value,
                                       [](const auto& range, std::uint64_t v) { return range.second < v; });
      mask[i] &= static_cast<std::uint8_t>(at != numbers_.end() && at->first <= value);
    }
  });
}

std::pair<std::uint64_t, std::uint64_t> RangeList::hull() const {
  if (whole_) return {0, std::numeric_limits<std::uint64_t>::max()};
  if (numbers_.empty()) return {1, 0};
  return {numbers_.front().first, numbers_.back().second};
}

bool RangeList::single_text() const {
  if (texts_.size() != 1 || texts_[0].unbounded) return false;
  return texts_[0].high == (texts_[0].open ? next_text(texts_[0].low) : texts_[0].low);
}

std::pair<RangeList, RangeList> RangeList::split(std::uint64_t at) const {
  RangeList below(type_), above(type_);
  below.whole_ = above.whole_ = false;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> all = numbers_;
  if (whole_) all = {{0, std::numeric_limits<std::uint64_t>::max()}};
  for (const auto& [low, high] : all) {
    if (low < at) below.numbers_.emplace_back(low, std::min(high, at - 1));
    if (high >= at) above.numbers_.emplace_back(std::max(low, at), high);
  }
  return {std::move(below), std::move(above)};
}

std::pair<RangeList, RangeList> RangeList::split(const std::string& at) const {
  RangeList below(type_), above_part(type_);
  below.whole_ = above_part.whole_ = false;
  std::vector<TextRange> all = texts_;
  if (whole_) all = {{"", "", false, true}};
  for (const TextRange& range : all) {
    const bool cut = !above(range, at);  // `at` or more of it lies in the second half
    if (range.low < at) {
      TextRange part = range;
      if (cut) part = {range.low, at, true, false};
      below.texts_.push_back(std::move(part));
    }
    if (cut) {
      TextRange part = range;
      part.low = std::max(range.low, at);
      above_part.texts_.push_back(std::move(part));
    }
  }
  return {std::move(below), std::move(above_part)};
}

Overlap overlap(const RangeSet& ranges, const MbrTable& mbrs, std::uint64_t i) {
  Overlap result = Overlap::all;
  for (std::size_t d = 0; d < ranges.size() && result != Overlap::none; ++d)
    result = both(result, ranges[d].overlap(mbrs.low(d, i), mbrs.high(d, i)));
  return result;
}

Overlap overlap(const RangeSet& ranges, const NdRange& box, std::span<const DimensionType> dimensions) {
  Overlap result = Overlap::all;
  for (std::size_t d = 0; d < ranges.size() && result != Overlap::none; ++d) {
    Bytes low, high;
    value_to_bytes(dimensions[d].type, box[d].low, low);
    value_to_bytes(dimensions[d].type, box[d].high, high);
    result = both(result, ranges[d].overlap(low, high));
  }
  return result;
}

}  // namespace tegula::tiledb
