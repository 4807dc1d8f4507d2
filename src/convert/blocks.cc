#include "convert/blocks.h"

#include <algorithm>

namespace tegula {

Blocks::Blocks(std::vector<std::uint64_t> shape, std::span<const std::uint64_t> chunks, std::uint64_t cells)
    : shape_(std::move(shape)) {
  std::uint64_t box_cells = 1;
  for (std::size_t i = 0; i < shape_.size(); ++i) {
    box_.push_back(std::max<std::uint64_t>(1, std::min(shape_[i], chunks[i])));
    box_cells *= box_.back();
  }
  // The last axis grows first, so that a box stays one stretch of C order as long as possible.
  for (std::size_t i = shape_.size(); i-- > 0;) {
    const std::uint64_t times = std::max<std::uint64_t>(1, cells / std::max<std::uint64_t>(1, box_cells));
    const std::uint64_t most = (shape_[i] + box_[i] - 1) / box_[i];
    const std::uint64_t grown = std::max<std::uint64_t>(1, std::min(times, most));
    box_cells *= grown;
    box_[i] = std::min(box_[i] * grown, std::max<std::uint64_t>(1, shape_[i]));
    if (grown < most) break;
  }
  for (std::size_t i = 0; i < shape_.size(); ++i) count_ *= (shape_[i] + box_[i] - 1) / box_[i];
}

std::vector<std::uint64_t> Blocks::start(std::uint64_t i) const {
  std::vector<std::uint64_t> out(shape_.size());
  for (std::size_t axis = shape_.size(); axis-- > 0;) {
    const std::uint64_t along = (shape_[axis] + box_[axis] - 1) / box_[axis];
    out[axis] = i % along * box_[axis];
    i /= along;
  }
  return out;
}

std::vector<std::uint64_t> Blocks::extent(std::uint64_t i) const {
  std::vector<std::uint64_t> out = start(i);
  for (std::size_t axis = 0; axis < out.size(); ++axis) out[axis] = std::min(box_[axis], shape_[axis] - out[axis]);
  return out;
}

Selection Blocks::selection(std::uint64_t i) const {
  const std::vector<std::uint64_t> from = start(i), size = extent(i);
  Selection out;
  for (std::size_t axis = 0; axis < from.size(); ++axis)
    out.axes.push_back(
        Slice{static_cast<std::int64_t>(from[axis]), static_cast<std::int64_t>(from[axis] + size[axis]), 1});
  return out;
}

}  // namespace tegula
