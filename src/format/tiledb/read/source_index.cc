#include "format/tiledb/read/source_index.h"

#include <algorithm>
#include <numeric>

namespace tegula::tiledb {

SourceIndex::SourceIndex(std::vector<SourceBox> boxes) : boxes_(std::move(boxes)) {
  if (boxes_.size() <= kLeaf) return;
  order_.resize(boxes_.size());
  std::iota(order_.begin(), order_.end(), 0u);
  const auto add_node = [&](std::uint32_t begin, std::uint32_t end) {
    Node& node = nodes_.emplace_back();
    node.begin = begin;
    node.end = end;
    node.hull = boxes_[order_[begin]];
    node.hull.fragment = *std::min_element(order_.begin() + begin, order_.begin() + end);
    for (std::uint32_t i = begin + 1; i < end; ++i) {
      const SourceBox& box = boxes_[order_[i]];
      for (std::size_t d = 0; d < box.first.size(); ++d) {
        node.hull.first[d] = std::min(node.hull.first[d], box.first[d]);
        node.hull.last[d] = std::max(node.hull.last[d], box.last[d]);
      }
    }
  };
  add_node(0, static_cast<std::uint32_t>(boxes_.size()));
  // Halves of each node's boxes, by where they begin along the dimension in which these places are farthest apart.
  for (std::size_t at = 0; at < nodes_.size(); ++at) {
    const std::uint32_t begin = nodes_[at].begin, end = nodes_[at].end, middle = begin + (end - begin) / 2;
    if (end - begin <= kLeaf) continue;
    std::size_t widest = 0;
    std::uint64_t width = 0;
    for (std::size_t d = 0; d < boxes_[0].first.size(); ++d) {
      const auto [low, high] = std::minmax_element(
          order_.begin() + begin, order_.begin() + end,
          [&](std::uint32_t a, std::uint32_t b) { return boxes_[a].first[d] < boxes_[b].first[d]; });
      if (const std::uint64_t apart = boxes_[*high].first[d] - boxes_[*low].first[d]; apart > width) {
        width = apart;
        widest = d;
      }
    }
    // Boxes that begin at one place are told apart by their age.
    std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end,
                     [&](std::uint32_t a, std::uint32_t b) {
                       return std::pair(boxes_[a].first[widest], a) < std::pair(boxes_[b].first[widest], b);
                     });
    nodes_[at].left = static_cast<std::uint32_t>(nodes_.size());
    add_node(begin, middle);
    add_node(middle, end);
  }
}

}  // namespace tegula::tiledb
