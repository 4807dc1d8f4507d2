#include "convert/blocks.h"

#include <algorithm>

#include "base/product.h"

namespace tegula {

namespace {

std::uint64_t pieces(std::uint64_t length, std::uint64_t step) { return length / step + (length % step != 0); }

}  // namespace

Selection selection_of(const CellBox& box) {
  Selection out;
  for (std::size_t axis = 0; axis < box.first.size(); ++axis)
    out.axes.push_back(Slice{static_cast<std::int64_t>(box.first[axis]),
                             static_cast<std::int64_t>(box.first[axis] + box.count[axis]), 1});
  return out;
}

double cells_of(const CellBox& box) {
  double cells = 1;
  for (const std::uint64_t count : box.count) cells *= static_cast<double>(count);
  return cells;
}

Blocks::Blocks(std::vector<std::uint64_t> shape, std::span<const std::uint64_t> chunks, std::uint64_t cells)
    : Blocks(CellBox{std::vector<std::uint64_t>(shape.size(), 0), shape}, chunks, cells) {}

Blocks::Blocks(CellBox box, std::span<const std::uint64_t> chunks, std::uint64_t cells) : whole_(std::move(box)) {
  std::uint64_t box_cells = 1;
  for (std::size_t i = 0; i < whole_.first.size(); ++i) {
    step_.push_back(std::max<std::uint64_t>(1, chunks[i]));
    base_.push_back(whole_.first[i] / step_[i] * step_[i]);
    along_.push_back(pieces(whole_.first[i] - base_[i] + whole_.count[i], step_[i]));
    if (whole_.count[i] == 0) along_[i] = 0;
    box_cells = saturated_product(box_cells, std::clamp<std::uint64_t>(whole_.count[i], 1, step_[i]));
  }
  // The last axis is extended first, so that a box is a single run of cells in C order where possible.
  for (std::size_t i = whole_.first.size(); i-- > 0;) {
    const std::uint64_t most = std::max<std::uint64_t>(1, along_[i]);
    const std::uint64_t grown = std::clamp<std::uint64_t>(cells / box_cells, 1, most);
    box_cells = saturated_product(box_cells, grown);
    step_[i] = saturated_product(step_[i], grown);
    along_[i] = pieces(along_[i], grown);
    if (grown < most) break;
  }
  count_ = saturated_product(along_);
}

CellBox Blocks::box(std::uint64_t i) const {
  CellBox out = whole_;
  for (std::size_t axis = along_.size(); axis-- > 0;) {
    const std::uint64_t begin = i % along_[axis] * step_[axis], skipped = whole_.first[axis] - base_[axis];
    i /= along_[axis];
    const std::uint64_t low = std::max(begin, skipped), rest = skipped + whole_.count[axis] - low;
    out.first[axis] = base_[axis] + low;
    out.count[axis] = std::min(rest, step_[axis] - (low - begin));
  }
  return out;
}

}  // namespace tegula
