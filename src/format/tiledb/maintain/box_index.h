// Rectangles that come and go, found by where they lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "format/tiledb/disk/nd_range.h"

namespace tegula::tiledb {

// Whether two rectangles have a place in common. Those of empty fragments have no dimensions and meet nothing.
bool meet(const NdRange& a, const NdRange& b);

// Rectangles are numbered as given. They are sorted along the dimension that tells most of them apart; a search takes
// about the logarithm of their number and a step for each one that it meets along that dimension.
class BoxIndex {
 public:
  BoxIndex() = default;
  // Borrows the rectangles. None of them is there until it is put.
  explicit BoxIndex(std::vector<const NdRange*> boxes);
  void put(std::size_t box) { set(box, true); }
  void take(std::size_t box) { set(box, false); }

  // The first that is there, meets `place` and is wanted, in no particular order. Adds the comparisons it took.
  std::optional<std::size_t> find(const NdRange& place, const std::function<bool(std::size_t)>& wanted,
                                  std::uint64_t& comparisons) const;

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  void set(std::size_t box, bool there);
  const Value& high(std::size_t box) const { return (*boxes_[box])[dimension_].high; }

  std::vector<const NdRange*> boxes_;
  std::size_t dimension_ = 0;
  std::vector<std::size_t> order_;     // boxes with dimensions, by their low end
  std::vector<std::size_t> place_of_;  // of each box in order_
  std::size_t leaves_ = 1;             // a power of 2
  std::vector<std::size_t> highest_;   // a binary tree: below each node the box there that reaches highest
};

}  // namespace tegula::tiledb
