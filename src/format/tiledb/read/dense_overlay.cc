#include "format/tiledb/read/dense_overlay.h"

#include <algorithm>
#include <unordered_map>

#include "format/tiledb/disk/ordered_bits.h"
#include "format/tiledb/fragment/tile_source.h"
#include "model/strided.h"

namespace tegula::tiledb {

namespace {

// Finds the places of a result that show a given cell.
class PlaceFinder {
 public:
  PlaceFinder(std::span<const AxisRuns> axes, const DensePoints* points, const std::vector<std::uint64_t>& shape)
      : axes_(axes), points_(points), shape_(shape) {
    if (points_)
      for (std::uint64_t i = 0; i < points_->front().size(); ++i) by_first_.emplace(points_->front()[i], i);
  }

  void find(std::span<const std::uint64_t> cell, std::vector<std::uint64_t>& places) const {
    places.clear();
    if (points_) {
      const auto [begin, end] = by_first_.equal_range(cell[0]);
      for (auto at = begin; at != end; ++at) {
        bool same = true;
        for (std::size_t d = 1; d < cell.size() && same; ++d) same = (*points_)[d][at->second] == cell[d];
        if (same) places.push_back(at->second);
      }
      return;
    }
    places.push_back(0);
    for (std::size_t d = 0; d < cell.size() && !places.empty(); ++d) {
      std::vector<std::uint64_t> longer;
      for (const Run& run : axes_[d].runs) {
        if (cell[d] < run.start || (cell[d] - run.start) % run.step != 0) continue;
        const std::uint64_t i = (cell[d] - run.start) / run.step;
        if (i >= run.count) continue;
        const std::uint64_t out = run.out + static_cast<std::uint64_t>(static_cast<std::int64_t>(i) * run.out_step);
        for (const std::uint64_t place : places) longer.push_back(place * shape_[d] + out);
      }
      places = std::move(longer);
    }
  }

  // The smallest and the largest coordinate along dimension d that has a place.
  std::pair<std::uint64_t, std::uint64_t> bounds(std::size_t d) const {
    std::uint64_t low = UINT64_MAX, high = 0;
    if (points_) {
      for (const std::uint64_t v : (*points_)[d]) low = std::min(low, v), high = std::max(high, v);
    } else {
      for (const Run& run : axes_[d].runs) low = std::min(low, run.start), high = std::max(high, run.at(run.count - 1));
    }
    return {low, high};
  }

 private:
  std::span<const AxisRuns> axes_;
  const DensePoints* points_;
  const std::vector<std::uint64_t>& shape_;
  std::unordered_multimap<std::uint64_t, std::uint64_t> by_first_;
};

}  // namespace

void add_overlays(DensePlan& plan, const OverlaySources& sources, const PlannedCells& cells, const Work& work) {
  const DenseGrid& grid = sources.grid;
  const std::size_t n = grid.dimensions();
  const PlaceFinder finder(cells.axes, cells.points, plan.shape);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> bounds;
  for (std::size_t d = 0; d < n; ++d) bounds.push_back(finder.bounds(d));

  // The newest fragment at each place, counted from 1; 0: none.
  Buffer<std::uint32_t> newest;
  const auto prepare = [&] {
    newest.assign(plan.cells(), 0);
    const Target target{reinterpret_cast<std::byte*>(newest.data()), contiguous_strides(plan.shape, 4), 4};
    for (const TileCopy& copy : plan.copies) {
      const std::uint32_t id = copy.fragment + 1;
      for (const Box& box : copy.boxes) fill_cells(box, std::as_bytes(std::span(&id, 1)), target);
    }
  };

  std::vector<std::uint64_t> cell(n), places;
  for (const SourceBox& source : sources.sparse) {
    const Fragment& fragment = *sources.fragments[source.fragment];
    bool meets = true;
    for (std::size_t d = 0; d < n && meets; ++d)
      meets = source.first[d] <= bounds[d].second && bounds[d].first <= source.last[d];
    if (!meets) continue;
    if (newest.empty()) prepare();
    const std::vector<std::uint64_t> tiles = fragment.rtree().find([&](const MbrTable& mbrs, std::uint64_t i) {
      for (std::size_t d = 0; d < n; ++d) {
        const std::uint64_t low = to_ordered(grid.types[d], mbrs.low(d, i).data()) - grid.low[d];
        const std::uint64_t high = to_ordered(grid.types[d], mbrs.high(d, i).data()) - grid.low[d];
        if (low > bounds[d].second || high < bounds[d].first) return false;
      }
      return true;
    });
    for (const std::uint64_t tile : tiles) {
      std::vector<TileRef> refs;
      for (std::size_t d = 0; d < n; ++d)
        refs.push_back({&fragment, fragment.field(fragment.schema().dimensions[d].name), tile});
      const std::vector<TileData> coordinates = load_tiles(sources.files, refs, work);
      CellOverlay overlay{source.fragment, tile, {}, {}};
      for (std::uint64_t i = 0; i < coordinates[0].cells; ++i) {
        for (std::size_t d = 0; d < n; ++d)
          cell[d] = to_ordered(grid.types[d], coordinates[d].data.data() + i * grid.types[d].size) - grid.low[d];
        finder.find(cell, places);
        for (const std::uint64_t place : places) {
          if (newest[place] > source.fragment) continue;
          newest[place] = source.fragment + 1;
          overlay.cells.push_back(i);
          overlay.places.push_back(place);
        }
      }
      if (!overlay.cells.empty()) plan.overlays.push_back(std::move(overlay));
    }
  }
}

}  // namespace tegula::tiledb
