// The tree of rectangles over the tiles of a sparse fragment.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "format/tiledb/disk/nd_range.h"

namespace tegula::tiledb {

struct RTree {
  std::uint32_t fanout = 10;
  std::vector<MbrTable> levels;  // root first; the last has one rectangle per tile; none for dense fragments

  std::uint64_t tiles() const { return levels.empty() ? 0 : levels.back().count(); }
  const MbrTable& leaves() const { return levels.back(); }
  // The tiles, in order, whose rectangle and all rectangles above it satisfy `overlaps(level, i)`.
  std::vector<std::uint64_t> find(const std::function<bool(const MbrTable&, std::uint64_t)>& overlaps) const;
};

// `version` of the fragment. Throws corrupt, also when the levels do not fit each other.
RTree decode_rtree(Cursor& in, std::uint32_t version, std::span<const DimensionType> dimensions);
void encode_rtree(const RTree& tree, std::uint32_t version, Bytes& out);
// The tree over these leaves.
RTree build_rtree(MbrTable leaves, std::uint32_t fanout = 10);

}  // namespace tegula::tiledb
