#include "format/tiledb/sparse/sparse_cells.h"

#include <algorithm>

#include "base/parallel.h"
#include "format/tiledb/fragment/tile_fetch.h"
#include "format/tiledb/fragment/tile_run.h"
#include "format/tiledb/order/cell_sort.h"
#include "format/tiledb/sparse/cell_test.h"
#include "format/tiledb/sparse/sparse_values.h"

namespace tegula::tiledb {

namespace {

std::size_t tile_of(const SparseHits& found, std::uint64_t candidate) {
  const auto after = std::upper_bound(found.hits.begin(), found.hits.end(), candidate,
                                      [](std::uint64_t value, const TileHits& tile) { return value < tile.first; });
  return static_cast<std::size_t>(after - found.hits.begin()) - 1;
}

// Clears `keep` of all but the newest cell at each place. `order` holds the candidates sorted by place.
void hide_older(SparseCells& cells, std::span<const std::uint64_t> order, const Snapshot& snapshot, const Work& work) {
  const SparseHits& found = cells.found;
  // Among equals the newest fragment comes first, so a later candidate wins only with a later time.
  const auto time_of = [&](std::uint64_t candidate) {
    if (!found.times.empty()) return found.times[candidate];
    return snapshot.fragments(work)[found.tiles[tile_of(found, candidate)].fragment]->first_time();
  };
  for (std::uint64_t begin = 0; begin < order.size();) {
    std::uint64_t end = begin + 1;
    while (end < order.size() && CellOrder::same_place(cells.coordinates, order[begin], order[end])) ++end;
    if (end - begin > 1) {
      std::uint64_t newest = order[begin];
      for (std::uint64_t i = begin + 1; i < end; ++i)
        if (time_of(order[i]) > time_of(newest)) newest = order[i];
      for (std::uint64_t i = begin; i < end; ++i) cells.keep[order[i]] = order[i] == newest;
    }
    begin = end;
  }
}

// Deletes and conditions apply after older cells are hidden: a deleted cell does not bring back the one it replaced.
void apply_conditions(const SparseQuery& query, SparseCells& cells, const Work& work) {
  const auto& fragments = query.snapshot->fragments(work);
  const SparseHits& found = cells.found;
  std::vector<std::optional<TileTest>> tests(found.tiles.size());
  parallel_for(work, tests.size(), [&](std::size_t t) {
    const std::span<std::uint8_t> keep = std::span(cells.keep).subspan(found.hits[t].first, found.hits[t].count);
    if (std::find(keep.begin(), keep.end(), std::uint8_t{1}) == keep.end()) return;
    tests[t] = plan_test(query, found.tiles[t]);
    if (!tests[t]) std::fill(keep.begin(), keep.end(), std::uint8_t{0});
  });
  std::vector<TileJob> jobs;
  std::vector<std::size_t> job_tile;
  for (std::size_t t = 0; t < tests.size(); ++t) {
    if (!tests[t] || !tests[t]->any()) continue;
    jobs.push_back({fragments[found.tiles[t].fragment].get(), found.tiles[t].tile, tests[t]->fields});
    job_tile.push_back(t);
  }
  prefetch_tile_places(query.snapshot->files(), jobs, work);
  for_each_tile(query.snapshot->files(), jobs, work, [&](std::size_t i, std::span<const TileData> tiles) {
    const std::size_t t = job_tile[i];
    const TileHits& hits = found.hits[t];
    std::vector<std::uint8_t> mask(found.tiles[t].cells, 1);
    Buffer<std::uint64_t> times;
    if (tests[t]->by_time()) {
      times.assign(mask.size(), 0);
      for (std::uint64_t k = 0; k < hits.count; ++k) times[hits.cell(k)] = found.times[hits.first + k];
    }
    run_test(query, found.tiles[t], *tests[t], {jobs[i].fields, tiles}, times.data(), mask);
    for (std::uint64_t k = 0; k < hits.count; ++k) cells.keep[hits.first + k] &= mask[hits.cell(k)];
  });
}

Buffer<std::uint64_t> repeated(const SparseQuery& query, const SparseCells& cells, Buffer<std::uint64_t> order) {
  if (std::none_of(query.repeats.begin(), query.repeats.end(), [](const auto& ranges) { return ranges.has_value(); }))
    return order;
  Buffer<std::uint64_t> more;
  for (const std::uint64_t candidate : order) {
    std::uint64_t times = 1;
    for (std::size_t d = 0; d < query.repeats.size(); ++d)
      if (query.repeats[d]) times *= query.repeats[d]->count(cells.coordinates[d].cell(candidate));
    more.insert(more.end(), times, candidate);
  }
  return more;
}

}  // namespace

SparseCells find_cells(const SparseQuery& query, SparsePart part, const Work& work) {
  const std::vector<FieldInfo> dimensions = dimensions_of(*query.snapshot);
  const HitOptions options{.conditions = !query.deduplicates(), .times = query.deduplicates(), .keep = dimensions};
  SparseCells cells;
  cells.found = find_hits(query, std::move(part), options, work);
  cells.coordinates = read_hits(query, cells.found, dimensions, work);
  cells.found.kept.clear();
  return cells;
}

Buffer<std::uint64_t> result_order(const SparseQuery& query, SparseCells& cells, const Work& work) {
  const Order by = query.order == Order::row || query.order == Order::col ? query.order : Order::global;
  Buffer<std::uint64_t> order = CellOrder(query.snapshot->schema(), by).sort(cells.coordinates, work);
  if (query.deduplicates()) {
    cells.keep.assign(cells.found.count(), 1);
    hide_older(cells, order, *query.snapshot, work);
    apply_conditions(query, cells, work);
    std::erase_if(order, [&](std::uint64_t candidate) { return cells.keep[candidate] == 0; });
  }
  return repeated(query, cells, std::move(order));
}

}  // namespace tegula::tiledb
