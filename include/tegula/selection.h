// numpy-like selections.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tegula {

struct Slice {
  std::optional<std::int64_t> start, stop;
  std::int64_t step = 1;
};
struct Ellipsis {};
using IndexList = std::vector<std::int64_t>;
using Mask = std::vector<bool>;

// One entry per axis, as between numpy's brackets; axes without an entry are taken whole. Index lists and masks are
// orthogonal (numpy's ix_): each selects along its own axis.
struct Selection {
  std::vector<std::variant<std::int64_t, Slice, Ellipsis, IndexList, Mask>> axes;
  // The index lists of all axes form points (zarr's vindex), and the result is 1-d.
  bool points = false;
};

// "[2:5, ::2]", "[...]", "[-1, [0, 3, 5]]", "[()]". Throws invalid_argument that names the position.
Selection parse_selection(std::string_view text);

// One axis of a resolved selection: `count` indices, all inside the axis.
struct AxisPick {
  std::uint64_t count = 0;
  std::int64_t start = 0,
               step = 1;               // when `indices` is empty; a start of 2^63 or more wraps to a negative number
  std::vector<std::uint64_t> indices;  // an index list or mask
  bool dropped = false;                // selected by an integer: the result does not have this axis
  std::uint64_t at(std::uint64_t i) const {
    return indices.empty() ? static_cast<std::uint64_t>(start) + i * static_cast<std::uint64_t>(step) : indices[i];
  }
};

// A selection applied to a shape.
struct Picks {
  std::vector<AxisPick> axes;  // one per axis of the array
  bool points = false;
  std::vector<std::uint64_t> shape() const;       // of the result, without dropped axes
  std::vector<std::uint64_t> full_shape() const;  // with dropped axes as 1
  std::uint64_t cells() const;
};
// Throws invalid_argument where numpy raises an IndexError.
Picks resolve(const Selection& selection, const std::vector<std::uint64_t>& shape);

}  // namespace tegula
