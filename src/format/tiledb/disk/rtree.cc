#include "format/tiledb/disk/rtree.h"

#include <algorithm>

#include "format/tiledb/disk/short_text_ranges.h"

namespace tegula::tiledb {

namespace {

// Versions 3 and 4 repeat the number and the type of the dimensions.
constexpr bool has_type_fields(std::uint32_t version) { return version <= 4; }

// A copy in which ranges of text that may be too short have no upper end.
MbrTable widened(const MbrTable& table, std::uint32_t version, std::span<const DimensionType> dimensions) {
  MbrTable out(dimensions);
  std::vector<ByteView> low(dimensions.size()), high(dimensions.size());
  for (std::uint64_t i = 0; i < table.count(); ++i) {
    for (std::size_t d = 0; d < dimensions.size(); ++d) {
      low[d] = table.low(d, i);
      high[d] =
          dimensions[d].var && may_be_too_short(version, text_of(low[d])) ? bytes_of(kAboveText) : table.high(d, i);
    }
    out.add(low, high);
  }
  return out;
}

std::uint64_t groups_of(std::uint64_t n, std::uint64_t fanout) { return n / fanout + (n % fanout != 0); }

}  // namespace

std::vector<std::uint64_t> RTree::find(const std::function<bool(const MbrTable&, std::uint64_t)>& overlaps) const {
  std::vector<std::uint64_t> found;
  if (levels.empty()) return found;
  for (std::uint64_t i = 0; i < levels[0].count(); ++i)
    if (overlaps(levels[0], i)) found.push_back(i);
  for (std::size_t level = 1; level < levels.size(); ++level) {
    std::vector<std::uint64_t> below;
    for (const std::uint64_t parent : found) {
      const std::uint64_t end = std::min(levels[level].count(), (parent + 1) * fanout);
      for (std::uint64_t i = parent * fanout; i < end; ++i)
        if (overlaps(levels[level], i)) below.push_back(i);
    }
    found = std::move(below);
  }
  return found;
}

RTree decode_rtree(Cursor& in, std::uint32_t version, std::span<const DimensionType> dimensions) {
  RTree tree;
  if (has_type_fields(version)) {
    const std::uint32_t count = in.read<std::uint32_t>();
    if (count != dimensions.size()) in.fail("a tree of {} dimensions, expected {}", count, dimensions.size());
  }
  tree.fanout = in.read<std::uint32_t>();
  if (tree.fanout < 2) in.fail("a tree with fanout {}, expected at least 2", tree.fanout);
  if (has_type_fields(version)) in.read<std::uint8_t>();
  const bool loose = may_be_too_short(version, "") && std::ranges::any_of(dimensions, &DimensionType::var);
  const std::uint64_t levels = in.count<std::uint32_t>(8, "levels");
  for (std::uint64_t i = 0; i < levels; ++i) {
    const std::uint64_t count = in.read<std::uint64_t>();
    MbrTable level(dimensions);
    level.decode(in, count);
    if (i > 0 && groups_of(count, tree.fanout) != tree.levels.back().count())
      in.fail("a level of {} rectangles below one of {} with fanout {}", count, tree.levels.back().count(),
              tree.fanout);
    tree.levels.push_back(loose ? widened(level, version, dimensions) : std::move(level));
  }
  return tree;
}

void encode_rtree(const RTree& tree, std::uint32_t version, Bytes& out) {
  ByteWriter writer(out);
  const bool typed = has_type_fields(version) && !tree.levels.empty();
  if (has_type_fields(version)) writer.put(static_cast<std::uint32_t>(typed ? tree.levels[0].dimensions() : 0));
  writer.put(tree.fanout);
  if (has_type_fields(version)) writer.put(typed ? tiledb_code(tree.levels[0].type(0)).value_or(0) : std::uint8_t{0});
  writer.put(static_cast<std::uint32_t>(tree.levels.size()));
  for (const MbrTable& level : tree.levels) {
    writer.put(level.count());
    level.encode(out);
  }
}

RTree build_rtree(MbrTable leaves, std::uint32_t fanout) {
  RTree tree;
  tree.fanout = fanout;
  if (leaves.count() == 0) return tree;
  std::vector<DimensionType> dimensions;
  for (std::size_t d = 0; d < leaves.dimensions(); ++d) dimensions.push_back({leaves.type(d), leaves.var(d)});
  tree.levels.push_back(std::move(leaves));
  while (tree.levels.back().count() > 1) {
    const MbrTable& below = tree.levels.back();
    MbrTable level(dimensions);
    for (std::uint64_t i = 0; i < below.count(); i += fanout)
      level.add_hull(below, i, std::min(below.count(), i + fanout));
    tree.levels.push_back(std::move(level));
  }
  std::reverse(tree.levels.begin(), tree.levels.end());
  return tree;
}

}  // namespace tegula::tiledb
