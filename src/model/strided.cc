#include "model/strided.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/fail.h"
#include "base/product.h"

namespace tegula {

namespace {

struct Axis {
  std::uint64_t count;
  std::int64_t to, from;
};

// Drops axes of length 1, puts the axis with the smallest destination stride last, and merges axes that are contiguous
// on both sides.
std::vector<Axis> simplify(std::span<const std::int64_t> to, std::span<const std::int64_t> from,
                           std::span<const std::uint64_t> shape) {
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i] != 1) axes.push_back({shape[i], to[i], from[i]});
  std::stable_sort(axes.begin(), axes.end(),
                   [](const Axis& a, const Axis& b) { return std::abs(a.to) > std::abs(b.to); });
  for (std::size_t i = axes.size(); i-- > 1;) {
    Axis& outer = axes[i - 1];
    const Axis& inner = axes[i];
    const auto span = static_cast<std::int64_t>(inner.count);
    if (outer.to == inner.to * span && outer.from == inner.from * span) {
      outer = {outer.count * inner.count, inner.to, inner.from};
      axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  return axes;
}

template <std::size_t N>
void copy_items(std::byte* to, std::int64_t to_stride, const std::byte* from, std::int64_t from_stride,
                std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i, to += to_stride, from += from_stride) std::memcpy(to, from, N);
}

void copy_row(std::byte* to, const std::byte* from, const Axis& axis, std::size_t item) {
  if (axis.to == static_cast<std::int64_t>(item) && axis.from == axis.to) {
    std::memcpy(to, from, axis.count * item);
    return;
  }
  switch (item) {
    case 1:
      return copy_items<1>(to, axis.to, from, axis.from, axis.count);
    case 2:
      return copy_items<2>(to, axis.to, from, axis.from, axis.count);
    case 4:
      return copy_items<4>(to, axis.to, from, axis.from, axis.count);
    case 8:
      return copy_items<8>(to, axis.to, from, axis.from, axis.count);
    case 16:
      return copy_items<16>(to, axis.to, from, axis.from, axis.count);
    default:
      for (std::uint64_t i = 0; i < axis.count; ++i, to += axis.to, from += axis.from) std::memcpy(to, from, item);
  }
}

void copy_axes(std::byte* to, const std::byte* from, std::span<const Axis> axes, std::size_t item) {
  if (axes.size() == 1) return copy_row(to, from, axes[0], item);
  for (std::uint64_t i = 0; i < axes[0].count; ++i, to += axes[0].to, from += axes[0].from)
    copy_axes(to, from, axes.subspan(1), item);
}

}  // namespace

void copy_box(std::byte* to, std::span<const std::int64_t> to_strides, const std::byte* from,
              std::span<const std::int64_t> from_strides, std::span<const std::uint64_t> shape, std::size_t item) {
  if (item == 0 || std::find(shape.begin(), shape.end(), 0u) != shape.end()) return;
  const std::vector<Axis> axes = simplify(to_strides, from_strides, shape);
  if (axes.empty())
    std::memcpy(to, from, item);
  else
    copy_axes(to, from, axes, item);
}

void fill_box(std::byte* to, std::span<const std::int64_t> to_strides, std::span<const std::uint64_t> shape,
              ByteView item) {
  const std::vector<std::int64_t> still(shape.size(), 0);
  copy_box(to, to_strides, item.data(), still, shape, item.size());
}

std::vector<std::int64_t> contiguous_strides(std::span<const std::uint64_t> shape, std::size_t item, bool fortran) {
  std::vector<std::int64_t> strides(shape.size());
  auto step = static_cast<std::int64_t>(item);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t axis = fortran ? i : shape.size() - 1 - i;
    strides[axis] = step;
    step *= static_cast<std::int64_t>(shape[axis]);
  }
  return strides;
}

std::uint64_t cell_count(std::span<const std::uint64_t> shape) {
  std::uint64_t n = 1;
  for (const std::uint64_t extent : shape) {
    const std::optional<std::uint64_t> product = checked_product(n, extent);
    if (!product) fail(ErrorKind::invalid_argument, "more than 2^64 cells");
    n = *product;
  }
  return n;
}

}  // namespace tegula
