#include "format/tiledb/maintain/box_index.h"

#include <algorithm>
#include <bit>

namespace tegula::tiledb {

namespace {

std::size_t distinct_lows(std::span<const NdRange* const> boxes, std::size_t dimension) {
  std::vector<const Value*> lows;
  for (const NdRange* box : boxes)
    if (box->size() > dimension) lows.push_back(&(*box)[dimension].low);
  std::ranges::sort(lows, [](const Value* a, const Value* b) { return *a < *b; });
  return static_cast<std::size_t>(
      std::unique(lows.begin(), lows.end(), [](const Value* a, const Value* b) { return *a == *b; }) - lows.begin());
}

}  // namespace

bool meet(const NdRange& a, const NdRange& b) {
  if (a.empty() || a.size() != b.size()) return false;
  for (std::size_t d = 0; d < a.size(); ++d)
    if (a[d].high < b[d].low || b[d].high < a[d].low) return false;
  return true;
}

BoxIndex::BoxIndex(std::vector<const NdRange*> boxes) : boxes_(std::move(boxes)), place_of_(boxes_.size(), kNone) {
  std::size_t dimensions = 0, most = 0;
  for (const NdRange* box : boxes_) dimensions = std::max(dimensions, box->size());
  for (std::size_t d = 0; d < dimensions; ++d)
    if (const std::size_t distinct = distinct_lows(boxes_, d); distinct > most) most = distinct, dimension_ = d;
  for (std::size_t i = 0; i < boxes_.size(); ++i)
    if (boxes_[i]->size() == dimensions && dimensions > 0) order_.push_back(i);
  std::ranges::sort(order_, [&](std::size_t a, std::size_t b) {
    return (*boxes_[a])[dimension_].low < (*boxes_[b])[dimension_].low;
  });
  for (std::size_t i = 0; i < order_.size(); ++i) place_of_[order_[i]] = i;
  leaves_ = std::bit_ceil(std::max<std::size_t>(1, order_.size()));
  highest_.assign(2 * leaves_, kNone);
}

void BoxIndex::set(std::size_t box, bool there) {
  if (place_of_[box] == kNone) return;
  std::size_t node = leaves_ + place_of_[box];
  highest_[node] = there ? box : kNone;
  while (node /= 2) {
    const std::size_t left = highest_[2 * node], right = highest_[2 * node + 1];
    highest_[node] = left == kNone || (right != kNone && high(left) < high(right)) ? right : left;
  }
}

std::optional<std::size_t> BoxIndex::find(const NdRange& place, const std::function<bool(std::size_t)>& wanted,
                                          std::uint64_t& comparisons) const {
  if (order_.empty() || place.size() <= dimension_) return std::nullopt;
  const Range& range = place[dimension_];
  // Boxes from `end` on begin behind the place.
  const auto end = static_cast<std::size_t>(
      std::ranges::partition_point(
          order_, [&](std::size_t box) { return ++comparisons, !(range.high < (*boxes_[box])[dimension_].low); }) -
      order_.begin());
  struct Step {
    std::size_t node, first, count;  // of leaves below the node
  };
  std::vector<Step> left{{1, 0, leaves_}};
  while (!left.empty()) {
    const Step step = left.back();
    left.pop_back();
    const std::size_t highest = highest_[step.node];
    if (step.first >= end || highest == kNone || (++comparisons, high(highest) < range.low)) continue;
    if (step.count == 1) {
      if (++comparisons, meet(*boxes_[highest], place) && wanted(highest)) return highest;
      continue;
    }
    const std::size_t half = step.count / 2;
    left.push_back({2 * step.node + 1, step.first + half, half});
    left.push_back({2 * step.node, step.first, half});
  }
  return std::nullopt;
}

}  // namespace tegula::tiledb
