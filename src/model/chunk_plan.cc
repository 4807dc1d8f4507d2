#include "model/chunk_plan.h"

#include <algorithm>
#include <map>

#include "base/fail.h"
#include "base/product.h"
#include "model/strided.h"

namespace tegula {

ChunkPlan::ChunkPlan(const Picks& picks, std::span<const std::uint64_t> shape,
                     std::span<const std::uint64_t> chunk_shape)
    : shape_(shape.begin(), shape.end()), chunk_shape_(chunk_shape.begin(), chunk_shape.end()), points_(picks.points) {
  for (const AxisPick& axis : picks.axes) dropped_.push_back(axis.dropped);
  if (points_) {
    group_points(picks);
    return;
  }
  for (std::size_t a = 0; a < picks.axes.size(); ++a) {
    const AxisPick& axis = picks.axes[a];
    const std::uint64_t size = chunk_shape_[a];
    std::vector<Part> parts;
    if (!axis.indices.empty()) {
      std::map<std::uint64_t, Part> by_chunk;
      for (std::uint64_t i = 0; i < axis.count; ++i) {
        Part& part = by_chunk[axis.indices[i] / size];
        part.in_list.push_back(axis.indices[i] % size);
        part.out_list.push_back(i);
      }
      for (auto& [chunk, part] : by_chunk) {
        part.chunk = chunk;
        part.count = part.in_list.size();
        parts.push_back(std::move(part));
      }
    } else {
      for (std::uint64_t i = 0; i < axis.count;) {
        Part part;
        const std::uint64_t at = axis.at(i);
        part.chunk = at / size;
        part.start = static_cast<std::int64_t>(at % size);
        part.step = axis.step;
        part.out = i;
        const std::uint64_t room = axis.step > 0 ? (size - 1 - at % size) / static_cast<std::uint64_t>(axis.step)
                                                 : (at % size) / (0 - static_cast<std::uint64_t>(axis.step));
        part.count = std::min(axis.count - i, room + 1);
        i += part.count;
        parts.push_back(std::move(part));
      }
    }
    const std::optional<std::uint64_t> pieces = checked_product(pieces_, parts.size());
    if (!pieces) fail(ErrorKind::invalid_argument, "the selection touches too many chunks");
    pieces_ = *pieces;
    axes_.push_back(std::move(parts));
  }
}

void ChunkPlan::group_points(const Picks& picks) {
  std::map<std::vector<std::uint64_t>, PointGroup> by_chunk;
  const std::uint64_t count = picks.cells();
  for (std::uint64_t i = 0; i < count; ++i) {
    std::vector<std::uint64_t> chunk;
    for (std::size_t a = 0; a < picks.axes.size(); ++a) chunk.push_back(picks.axes[a].at(i) / chunk_shape_[a]);
    PointGroup& group = by_chunk[chunk];
    group.in.resize(picks.axes.size());
    for (std::size_t a = 0; a < picks.axes.size(); ++a) group.in[a].push_back(picks.axes[a].at(i) % chunk_shape_[a]);
    group.out.push_back(i);
  }
  for (auto& [chunk, group] : by_chunk) {
    group.chunk = chunk;
    groups_.push_back(std::move(group));
  }
  pieces_ = groups_.size();
}

std::vector<const ChunkPlan::Part*> ChunkPlan::parts_of(std::size_t i) const {
  std::vector<const Part*> parts(axes_.size());
  for (std::size_t a = axes_.size(); a-- > 0;) {
    parts[a] = &axes_[a][i % axes_[a].size()];
    i /= axes_[a].size();
  }
  return parts;
}

std::vector<std::uint64_t> ChunkPlan::chunk(std::size_t i) const {
  if (points_) return groups_[i].chunk;
  std::vector<std::uint64_t> out;
  for (const Part* part : parts_of(i)) out.push_back(part->chunk);
  return out;
}

bool ChunkPlan::whole(std::size_t i) const {
  if (points_) return false;
  const auto parts = parts_of(i);
  for (std::size_t a = 0; a < parts.size(); ++a) {
    const std::uint64_t inside = std::min(chunk_shape_[a], shape_[a] - parts[a]->chunk * chunk_shape_[a]);
    if (parts[a]->listed() || parts[a]->count != inside || (inside > 1 && std::abs(parts[a]->step) != 1)) return false;
  }
  return true;
}

std::pair<std::uint64_t, std::uint64_t> ChunkPlan::extent(std::size_t i) const {
  std::uint64_t low = 0, high = 0;
  auto fold = [&](std::size_t a, std::uint64_t first, std::uint64_t last) {
    low = low * chunk_shape_[a] + first;
    high = high * chunk_shape_[a] + last;
  };
  if (points_) {
    low = UINT64_MAX;
    const PointGroup& group = groups_[i];
    for (std::size_t p = 0; p < group.out.size(); ++p) {
      std::uint64_t at = 0;
      for (std::size_t a = 0; a < chunk_shape_.size(); ++a) at = at * chunk_shape_[a] + group.in[a][p];
      low = std::min(low, at);
      high = std::max(high, at);
    }
    return {low, high + 1};
  }
  const auto parts = parts_of(i);
  for (std::size_t a = 0; a < parts.size(); ++a) {
    const Part& part = *parts[a];
    if (part.listed()) {
      const auto [first, last] = std::minmax_element(part.in_list.begin(), part.in_list.end());
      fold(a, *first, *last);
    } else {
      const auto end = part.start + static_cast<std::int64_t>(part.count - 1) * part.step;
      fold(a, static_cast<std::uint64_t>(std::min(part.start, end)),
           static_cast<std::uint64_t>(std::max(part.start, end)));
    }
  }
  return {low, high + 1};
}

std::byte* ChunkPlan::direct(std::size_t i, const StridedBuffer& out, std::size_t item) const {
  if (points_) return nullptr;
  const auto parts = parts_of(i);
  const auto strides = full_strides(out.strides);
  std::byte* at = out.data;
  auto expected = static_cast<std::int64_t>(item);
  for (std::size_t a = parts.size(); a-- > 0;) {
    const Part& part = *parts[a];
    const bool one = chunk_shape_[a] == 1;
    if (part.listed() || part.count != chunk_shape_[a] || (!one && (part.step != 1 || strides[a] != expected)))
      return nullptr;
    at += static_cast<std::int64_t>(part.out) * strides[a];
    expected *= static_cast<std::int64_t>(chunk_shape_[a]);
  }
  return at;
}

// The result has no axis where the selection has an integer; it gets a stride of 0.
std::vector<std::int64_t> ChunkPlan::full_strides(const std::vector<std::int64_t>& strides) const {
  if (points_) return strides;
  std::vector<std::int64_t> full;
  std::size_t next = 0;
  for (const bool dropped : dropped_) full.push_back(dropped ? 0 : strides.at(next++));
  return full;
}

// Calls copy(offset in result, offset in chunk, strides of both, shape) for every box of the piece: one, unless an axis
// is a list.
template <class Copy>
void ChunkPlan::walk(std::size_t i, const std::vector<std::int64_t>& out_strides,
                     std::span<const std::int64_t> chunk_strides, Copy copy) const {
  if (points_) {
    const PointGroup& group = groups_[i];
    for (std::size_t p = 0; p < group.out.size(); ++p) {
      std::int64_t in = 0;
      for (std::size_t a = 0; a < chunk_strides.size(); ++a)
        in += static_cast<std::int64_t>(group.in[a][p]) * chunk_strides[a];
      copy(static_cast<std::int64_t>(group.out[p]) * out_strides[0], in, std::span<const std::int64_t>{},
           std::span<const std::int64_t>{}, std::span<const std::uint64_t>{});
    }
    return;
  }
  const auto parts = parts_of(i);
  std::vector<std::int64_t> to, from;
  std::vector<std::uint64_t> box;
  std::vector<std::size_t> lists;
  std::int64_t out = 0, in = 0;
  for (std::size_t a = 0; a < parts.size(); ++a) {
    if (parts[a]->listed()) {
      lists.push_back(a);
      continue;
    }
    to.push_back(out_strides[a]);
    from.push_back(chunk_strides[a] * parts[a]->step);
    box.push_back(parts[a]->count);
    out += static_cast<std::int64_t>(parts[a]->out) * out_strides[a];
    in += parts[a]->start * chunk_strides[a];
  }
  std::vector<std::size_t> at(lists.size(), 0);
  for (;;) {
    std::int64_t list_out = out, list_in = in;
    for (std::size_t l = 0; l < lists.size(); ++l) {
      const Part& part = *parts[lists[l]];
      list_out += static_cast<std::int64_t>(part.out_list[at[l]]) * out_strides[lists[l]];
      list_in += static_cast<std::int64_t>(part.in_list[at[l]]) * chunk_strides[lists[l]];
    }
    copy(list_out, list_in, std::span<const std::int64_t>(to), std::span<const std::int64_t>(from),
         std::span<const std::uint64_t>(box));
    std::size_t l = lists.size();
    while (l > 0 && ++at[l - 1] == parts[lists[l - 1]]->count) at[--l] = 0;
    if (l == 0) return;
  }
}

void ChunkPlan::gather(std::size_t i, const std::byte* chunk, std::span<const std::int64_t> strides,
                       const StridedBuffer& out, std::size_t item) const {
  walk(i, full_strides(out.strides), strides,
       [&](std::int64_t to, std::int64_t from, auto to_strides, auto from_strides, auto box) {
         copy_box(out.data + to, to_strides, chunk + from, from_strides, box, item);
       });
}

void ChunkPlan::fill(std::size_t i, const StridedBuffer& out, ByteView item) const {
  const std::vector<std::int64_t> still(chunk_shape_.size(), 0);
  walk(i, full_strides(out.strides), still, [&](std::int64_t to, std::int64_t, auto to_strides, auto, auto box) {
    fill_box(out.data + to, to_strides, box, item);
  });
}

void ChunkPlan::scatter(std::size_t i, std::byte* chunk, std::span<const std::int64_t> strides, const StridedView& in,
                        std::size_t item) const {
  walk(i, full_strides(in.strides), strides,
       [&](std::int64_t from, std::int64_t to, auto from_strides, auto to_strides, auto box) {
         copy_box(chunk + to, to_strides, in.data + from, from_strides, box, item);
       });
}

}  // namespace tegula
