// The boxes of fragments, found by where they lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

namespace tegula::tiledb {

// A fragment and the box of cells it covers, both ends included.
struct SourceBox {
  std::uint32_t fragment = 0;
  std::vector<std::uint64_t> first, last;

  bool meets(std::span<const std::uint64_t> low, std::span<const std::uint64_t> high) const {
    for (std::size_t d = 0; d < first.size(); ++d)
      if (first[d] > high[d] || low[d] > last[d]) return false;
    return true;
  }
  bool covers(std::span<const std::uint64_t> low, std::span<const std::uint64_t> high) const {
    for (std::size_t d = 0; d < first.size(); ++d)
      if (first[d] > low[d] || high[d] > last[d]) return false;
    return true;
  }
};

// A tree of boxes. Immutable; shared by threads.
class SourceIndex {
 public:
  SourceIndex() = default;
  explicit SourceIndex(std::vector<SourceBox> boxes);

  std::span<const SourceBox> all() const { return boxes_; }
  bool empty() const { return boxes_.empty(); }

  // Calls visit(box) for the boxes that meet low .. high, in the order in which they were given, until it returns
  // false. Boxes behind the last one visited cost nothing. Returns how many boxes were compared.
  template <class Visit>
  std::uint64_t visit(std::span<const std::uint64_t> low, std::span<const std::uint64_t> high,
                      const Visit& visit) const;

 private:
  struct Node {
    SourceBox hull;  // `fragment` is the first of its boxes
    std::uint32_t begin = 0, end = 0;
    std::uint32_t left = 0;  // the right one follows it; 0: a leaf
  };
  static constexpr std::size_t kLeaf = 8;

  std::vector<SourceBox> boxes_;
  std::vector<Node> nodes_;           // empty for few boxes
  std::vector<std::uint32_t> order_;  // boxes by node
};

template <class Visit>
std::uint64_t SourceIndex::visit(std::span<const std::uint64_t> low, std::span<const std::uint64_t> high,
                                 const Visit& visit) const {
  std::uint64_t compared = 0;
  if (nodes_.empty()) {
    for (const SourceBox& box : boxes_) {
      ++compared;
      if (box.meets(low, high) && !visit(box)) break;
    }
    return compared;
  }
  // Nodes and boxes by the first box they hold, so that the next box to visit is at the front before any later one.
  using Found = std::pair<std::uint32_t, std::uint32_t>;  // first box, node (or nodes_.size(): the box itself)
  std::priority_queue<Found, std::vector<Found>, std::greater<>> next;
  const auto box_itself = static_cast<std::uint32_t>(nodes_.size());
  const auto offer = [&](std::uint32_t node) {
    ++compared;
    if (nodes_[node].hull.meets(low, high)) next.emplace(nodes_[node].hull.fragment, node);
  };
  offer(0);
  while (!next.empty()) {
    const auto [first, at] = next.top();
    next.pop();
    if (at == box_itself) {
      if (!visit(boxes_[first])) break;
    } else if (const Node& node = nodes_[at]; node.left != 0) {
      offer(node.left);
      offer(node.left + 1);
    } else {
      for (std::uint32_t i = node.begin; i < node.end; ++i) {
        ++compared;
        if (boxes_[order_[i]].meets(low, high)) next.emplace(order_[i], box_itself);
      }
    }
  }
  return compared;
}

}  // namespace tegula::tiledb
