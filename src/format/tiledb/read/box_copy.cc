#include "format/tiledb/read/box_copy.h"

#include <algorithm>

#include "base/fail.h"
#include "model/strided.h"

namespace tegula::tiledb {

namespace {

// Shorter rows are cheaper to copy than to read one by one.
constexpr std::uint64_t kShortestRow = 512;

std::byte* place_of(const Box& box, const Target& target) {
  std::byte* at = target.data;
  for (std::size_t d = 0; d < box.size(); ++d) at += static_cast<std::int64_t>(box[d].out) * target.strides[d];
  return at;
}

// Visits the parts of a box that lie in the cells begin .. end of the tile, as large as possible: visit(level, first,
// count, base, place) gets `count` steps, from `first` on, of the dimension grid.order[level], with all faster
// dimensions whole.
struct Walk {
  const DenseGrid& grid;
  const Box& box;
  std::uint64_t begin, end;

  // False when `visit` returned false.
  template <class Visit>
  bool descend(std::size_t level, std::uint64_t base, std::byte* to, const Target* target, const Visit& visit) const {
    const std::size_t d = grid.order[level];
    const Run& run = box[d];
    const std::uint64_t stride = grid.stride[d];
    const auto start_of = [&](std::uint64_t i) { return base + run.at(i) * stride; };
    // The first step that ends after `begin`, and the first that starts at or after `end`.
    const auto first_from = [&](std::uint64_t cell, bool round_up) -> std::uint64_t {
      if (cell <= base) return 0;
      const std::uint64_t at = round_up ? (cell - base + stride - 1) / stride : (cell - base) / stride;
      return at <= run.start ? 0 : std::min(run.count, (at - run.start + run.step - 1) / run.step);
    };
    const std::uint64_t low = first_from(begin, false), high = first_from(end, true);
    if (low >= high) return true;
    // The steps that lie completely inside.
    std::uint64_t whole_low = low, whole_high = high;
    if (start_of(low) < begin) ++whole_low;
    if (whole_high > whole_low && start_of(high - 1) + stride > end) --whole_high;
    const auto place = [&](std::uint64_t i) {
      return target ? to + static_cast<std::int64_t>(i) * run.out_step * target->strides[d] : nullptr;
    };
    if (whole_low > low && level + 1 < box.size() && !descend(level + 1, start_of(low), place(low), target, visit))
      return false;
    if (whole_low < whole_high &&
        !visit(level, whole_low, whole_high - whole_low, start_of(whole_low), place(whole_low)))
      return false;
    if (whole_high < high && high - 1 >= whole_low && level + 1 < box.size() &&
        !descend(level + 1, start_of(high - 1), place(high - 1), target, visit))
      return false;
    return true;
  }
};

}  // namespace

void copy_cells(const DenseGrid& grid, const Box& box, std::uint64_t begin, std::uint64_t end, const std::byte* cells,
                const Target& target) {
  const std::size_t n = box.size();
  std::vector<std::int64_t> to(n), from(n);
  std::vector<std::uint64_t> shape(n);
  for (std::size_t level = 0; level < n; ++level) {
    const std::size_t d = grid.order[level];
    to[level] = target.strides[d] * box[d].out_step;
    from[level] = static_cast<std::int64_t>(box[d].step * grid.stride[d] * target.item);
    shape[level] = box[d].count;
  }
  const auto below = [&](std::size_t level) {
    std::uint64_t offset = 0;
    for (std::size_t l = level + 1; l < n; ++l) offset += box[grid.order[l]].start * grid.stride[grid.order[l]];
    return offset;
  };
  Walk{grid, box, begin, end}.descend(
      0, 0, place_of(box, target), &target,
      [&](std::size_t level, std::uint64_t, std::uint64_t count, std::uint64_t base, std::byte* place) {
        const std::uint64_t counted = std::exchange(shape[level], count);
        const std::size_t rest = n - level;
        copy_box(place, {to.data() + level, rest}, cells + (base + below(level) - begin) * target.item,
                 {from.data() + level, rest}, {shape.data() + level, rest}, target.item);
        shape[level] = counted;
        return true;
      });
}

void fill_cells(const Box& box, ByteView cell, const Target& target) {
  std::vector<std::int64_t> to;
  std::vector<std::uint64_t> shape;
  for (std::size_t d = 0; d < box.size(); ++d) {
    to.push_back(target.strides[d] * box[d].out_step);
    shape.push_back(box[d].count);
  }
  fill_box(place_of(box, target), to, shape, cell);
}

bool touches(const DenseGrid& grid, const Box& box, std::uint64_t begin, std::uint64_t end) {
  return !Walk{grid, box, begin, end}.descend(
      0, 0, nullptr, nullptr,
      [](std::size_t, std::uint64_t, std::uint64_t, std::uint64_t, std::byte*) { return false; });
}

BoxSink::BoxSink(const DenseGrid& grid, std::span<const Box> boxes, const Target& target)
    : grid_(grid), boxes_(boxes), target_(target) {
  if (boxes.size() != 1) return;
  find_rows();
  const Box& box = boxes[0];
  // In all dimensions faster than the first one with more than one cell, the box must be whole and the result laid out
  // like the tile.
  std::uint64_t first = 0, cells = 1;
  bool inside = false;
  for (std::size_t level = 0; level < box.size(); ++level) {
    const std::size_t d = grid.order[level];
    const Run& run = box[d];
    first += run.start * grid.stride[d];
    if (inside && (run.start != 0 || run.count != grid.extent[d])) return;
    if (run.count > 1) {
      if (run.step != 1 || run.out_step != 1 ||
          target.strides[d] != static_cast<std::int64_t>(grid.stride[d] * target.item))
        return;
      inside = true;
    }
    cells *= run.count;
  }
  direct_ = place_of(box, target);
  direct_first_ = first;
  direct_cells_ = cells;
}

void BoxSink::find_rows() {
  const Box& box = boxes_[0];
  for (std::size_t d = 0; d < box.size(); ++d)
    if (box[d].start != 0 || box[d].count != grid_.extent[d] || box[d].step != 1 || box[d].out_step != 1) return;
  std::uint64_t bytes = target_.item;
  std::size_t levels = box.size();
  while (levels > 0 && target_.strides[grid_.order[levels - 1]] == static_cast<std::int64_t>(bytes))
    bytes *= grid_.extent[grid_.order[--levels]];
  if (bytes < kShortestRow) return;
  row_bytes_ = bytes;
  row_levels_ = levels;
}

bool BoxSink::pieces(std::uint64_t begin, std::uint64_t end, std::vector<MutableBytes>& out) {
  if (row_bytes_ == 0) return false;
  for (std::uint64_t at = begin; at < end;) {
    std::uint64_t row = at / row_bytes_;
    const std::uint64_t inside = at % row_bytes_, size = std::min(row_bytes_ - inside, end - at);
    std::byte* place = place_of(boxes_[0], target_) + inside;
    for (std::size_t level = row_levels_; level-- > 0;) {
      const std::size_t d = grid_.order[level];
      place += static_cast<std::int64_t>(row % grid_.extent[d]) * target_.strides[d];
      row /= grid_.extent[d];
    }
    out.emplace_back(place, size);
    at += size;
  }
  return true;
}

bool BoxSink::wants(std::uint64_t begin, std::uint64_t end) const {
  // take() refuses a chunk that does not hold whole cells.
  const std::uint64_t first = begin / target_.item, last = (end + target_.item - 1) / target_.item;
  return std::any_of(boxes_.begin(), boxes_.end(), [&](const Box& box) { return touches(grid_, box, first, last); });
}

MutableBytes BoxSink::place(std::uint64_t begin, std::uint64_t end) {
  if (!direct_ || begin % target_.item != 0 || end % target_.item != 0) return {};
  const std::uint64_t first = begin / target_.item, last = end / target_.item;
  if (first < direct_first_ || last > direct_first_ + direct_cells_) return {};
  return {direct_ + (first - direct_first_) * target_.item, end - begin};
}

void BoxSink::take(std::uint64_t begin, ByteView bytes) {
  if (begin % target_.item != 0 || bytes.size() % target_.item != 0)
    fail(ErrorKind::corrupt, "a chunk at byte {} of a tile has {} bytes, which are not whole cells of {} bytes", begin,
         bytes.size(), target_.item);
  const std::uint64_t first = begin / target_.item, last = first + bytes.size() / target_.item;
  for (const Box& box : boxes_) copy_cells(grid_, box, first, last, bytes.data(), target_);
}

}  // namespace tegula::tiledb
