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

// One entry per axis as a person writes it; entries left out mean the whole axis. Index lists and masks are orthogonal
// (numpy's ix_): each picks along its own axis.
struct Selection {
  std::vector<std::variant<std::int64_t, Slice, Ellipsis, IndexList, Mask>> axes;
  // With `points`, the index lists of all axes are walked together (zarr's vindex) and the result is 1-d.
  bool points = false;
};

// "[2:5, ::2]", "[...]", "[-1, [0, 3, 5]]", "[()]". Throws invalid_argument with the position.
Selection parse_selection(std::string_view text);

// One axis of a resolved selection: `count` indices, all inside the axis.
struct AxisPick {
  std::uint64_t count = 0;
  std::int64_t start = 0, step = 1;    // when `indices` is empty; on axes beyond 2^63 the start wraps around
  std::vector<std::uint64_t> indices;  // an index list or mask
  bool dropped = false;                // came from an integer: not an axis of the result
  std::uint64_t at(std::uint64_t i) const {
    return indices.empty() ? static_cast<std::uint64_t>(start) + i * static_cast<std::uint64_t>(step) : indices[i];
  }
};

// A selection applied to a shape. Throws invalid_argument for what numpy calls an IndexError.
struct Picks {
  std::vector<AxisPick> axes;  // one per axis of the array
  bool points = false;
  std::vector<std::uint64_t> shape() const;       // of the result, dropped axes left out
  std::vector<std::uint64_t> full_shape() const;  // with dropped axes as 1
  std::uint64_t cells() const;
};
Picks resolve(const Selection& selection, const std::vector<std::uint64_t>& shape);

}  // namespace tegula
