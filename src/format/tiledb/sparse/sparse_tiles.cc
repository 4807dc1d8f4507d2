#include "format/tiledb/sparse/sparse_tiles.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "base/fail.h"
#include "base/parallel.h"
#include "format/tiledb/fragment/tile_fetch.h"

namespace tegula::tiledb {

namespace {

// Some answers need no coordinates: then the number of cells rests on the schema's capacity and the footer alone.
void check_cells(const Fragment& fragment, std::uint64_t tile) {
  constexpr std::uint64_t kCellsPerByte = 1 << 16;
  const StoredField& field = fragment.fields().front();
  const Fragment::Extent extent = fragment.stored(field, Fragment::Data::fixed, tile);
  const std::uint64_t cells = fragment.cells(tile);
  if (cells > UINT32_MAX || cells / kCellsPerByte > extent.end - extent.begin)
    fail(ErrorKind::corrupt, "{}: tile {} claims {} cells in {} bytes", fragment.file(field, Fragment::Data::fixed),
         tile, cells, extent.end - extent.begin);
}

}  // namespace

std::vector<FieldInfo> dimensions_of(const Snapshot& snapshot) {
  std::vector<FieldInfo> dimensions;
  for (const FieldInfo& field : snapshot.fields())
    if (field.dimension) dimensions.push_back(field);
  return dimensions;
}

std::vector<SparseTile> find_tiles(const Snapshot& snapshot, const RangeSet& ranges, const Work& work) {
  const auto& fragments = snapshot.fragments(work);
  const std::vector<DimensionType> types = snapshot.schema().range_types();
  std::vector<std::vector<SparseTile>> found(fragments.size());
  const auto met = [&](const Fragment& fragment) {
    return fragment.domain().size() != types.size() ? Overlap::none : overlap(ranges, fragment.domain(), types);
  };
  std::vector<const Fragment*> touched;
  for (const std::shared_ptr<const Fragment>& fragment : fragments)
    if (met(*fragment) != Overlap::none) touched.push_back(fragment.get());
  prefetch_parts(
      snapshot.files(), touched,
      [&](const Fragment& fragment) {
        std::vector<WantedPart> parts = {{FragmentPart::tile_offsets, fragment.fields().front().slot}};
        if (met(fragment) != Overlap::all) parts.push_back({FragmentPart::rtree, 0});
        return parts;
      },
      work);
  parallel_for(work, fragments.size(), [&](std::size_t f) {
    const Fragment& fragment = *fragments[f];
    if (fragment.domain().size() != types.size()) return;  // holds nothing
    const Overlap whole = overlap(ranges, fragment.domain(), types);
    if (whole == Overlap::none) return;
    const std::uint64_t count = stored_tiles(fragment);
    const auto add = [&](std::uint64_t t, Overlap with) {
      check_cells(fragment, t);
      found[f].push_back({static_cast<std::uint32_t>(f), t, with, fragment.cells(t)});
    };
    if (whole == Overlap::all) {
      for (std::uint64_t t = 0; t < count; ++t) add(t, Overlap::all);
      return;
    }
    const RTree& tree = fragment.rtree();
    if (tree.tiles() != count)
      fail(ErrorKind::corrupt, "{}: a tree of {} rectangles for {} tiles",
           join(fragment.folder(), kFragmentMetadataFile), tree.tiles(), count);
    for (const std::uint64_t t :
         tree.find([&](const MbrTable& mbrs, std::uint64_t i) { return overlap(ranges, mbrs, i) != Overlap::none; }))
      add(t, overlap(ranges, tree.leaves(), t));
  });
  std::vector<SparseTile> tiles;
  for (const std::vector<SparseTile>& some : found) tiles.insert(tiles.end(), some.begin(), some.end());
  return tiles;
}

std::vector<TileData> load_in_file_order(const ArrayFiles& files, std::span<const TileRef> refs, const Work& work) {
  std::vector<std::size_t> order(refs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(refs[a].fragment, refs[a].field, refs[a].tile) <
           std::tie(refs[b].fragment, refs[b].field, refs[b].tile);
  });
  std::vector<TileRef> sorted;
  for (const std::size_t i : order) sorted.push_back(refs[i]);
  std::vector<TileData> loaded = load_tiles(files, sorted, work), result(refs.size());
  for (std::size_t i = 0; i < order.size(); ++i) result[order[i]] = std::move(loaded[i]);
  return result;
}

}  // namespace tegula::tiledb
