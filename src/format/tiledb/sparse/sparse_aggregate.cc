#include "format/tiledb/sparse/sparse_aggregate.h"

#include <algorithm>
#include <optional>

#include "base/parallel.h"
#include "format/tiledb/read/tile_aggregates.h"
#include "format/tiledb/read/tile_pruning.h"
#include "format/tiledb/sparse/sparse_cells.h"
#include "format/tiledb/sparse/sparse_gather.h"
#include "format/tiledb/sparse/sparse_parts.h"
#include "format/tiledb/sparse/sparse_values.h"

namespace tegula::tiledb {

namespace {

// Whether every cell of the tile is visible and matches.
bool whole(const SparseQuery& query, const SparseTile& tile) {
  const Fragment& fragment = *query.snapshot->fragments({})[tile.fragment];
  if (query.deduplicates() || tile.overlap != Overlap::all || fragment.has_deletes()) return false;
  if (fragment.has_timestamps() && !query.snapshot->window().contains(fragment.first_time(), fragment.last_time()))
    return false;
  if (match_by_statistics(query.where, fragment, tile.tile) != Match::all) return false;
  const auto& deletes = query.deletes[tile.fragment];
  return std::all_of(deletes.begin(), deletes.end(), [&](const FragmentDelete& removal) {
    return match_by_statistics(removal.stays, fragment, tile.tile) == Match::all;
  });
}

// The columns as one tile sees them: a field that its fragment lacks has no values there, whatever its fill value.
// libtiledb counts the fill values.
std::vector<ColumnView> views_of(const SparseQuery& query, const SparseTile& tile, std::span<const ColumnView> views,
                                 const AggregateSet& set) {
  std::vector<ColumnView> out(views.begin(), views.end());
  if (set.rules() == AggregateRules::libtiledb) return out;
  const Fragment& fragment = *query.snapshot->fragments({})[tile.fragment];
  for (std::size_t f = 0; f < out.size(); ++f)
    if (!stored_field(fragment, set.fields()[f])) out[f] = ColumnView::missing();
  return out;
}

// Sums the cells first .. end before they are added to the set, which is how libtiledb rounds.
void add_run(std::span<const ColumnView> views, std::uint64_t first, std::uint64_t end, AggregateSet& set) {
  AggregateSet part = set.fresh();
  part.update(views, first, end - first);
  set.merge(part);
}

// Sums each tile on its own.
void add_unsorted(const SparseQuery& query, SparsePart part, AggregateSet& set, const Work& work) {
  const SparseHits hits = find_hits(query, std::move(part), {.keep = set.fields()}, work);
  const std::vector<Column> columns = read_hits(query, hits, set.fields(), work);
  const std::vector<ColumnView> views(columns.begin(), columns.end());
  std::vector<std::optional<AggregateSet>> sums(hits.hits.size());
  parallel_for(work, sums.size(), [&](std::size_t t) {
    if (hits.hits[t].count == 0) return;
    sums[t].emplace(set.fresh());
    sums[t]->update(views_of(query, hits.tiles[t], views, set), hits.hits[t].first, hits.hits[t].count);
  });
  for (const std::optional<AggregateSet>& sum : sums)
    if (sum) set.merge(*sum);
}

// Where fragments are merged, sums each run of cells that are consecutive both in a tile and in the result.
void add_sorted(const SparseQuery& query, SparsePart part, AggregateSet& set, const Work& work) {
  SparseCells cells = find_cells(query, std::move(part), work);
  const Buffer<std::uint64_t> order = result_order(query, cells, work);
  const std::vector<Column> columns = gather_fields(query, cells, order, set.fields(), work);
  const std::vector<ColumnView> views(columns.begin(), columns.end());
  const std::vector<TileHits>& hits = cells.found.hits;
  std::uint64_t first = 0, tile_end = 0;
  std::size_t t = 0;
  const auto add = [&](std::uint64_t end) {
    add_run(views_of(query, cells.found.tiles[t], views, set), first, end, set);
  };
  for (std::uint64_t i = 0; i < order.size(); ++i) {
    if (i > 0 && order[i] == order[i - 1] + 1 && order[i] < tile_end) continue;
    if (i > 0) add(i);
    first = i;
    const auto after = std::upper_bound(hits.begin(), hits.end(), order[i],
                                        [](std::uint64_t value, const TileHits& tile) { return value < tile.first; });
    tile_end = after == hits.end() ? cells.found.count() : after->first;
    t = static_cast<std::size_t>(after - hits.begin()) - 1;
  }
  if (!order.empty()) add(order.size());
}

}  // namespace

std::unique_ptr<BatchStream> aggregate_sparse(std::shared_ptr<const Snapshot> snapshot, const Query& query) {
  AggregateSet set(query.aggregates, snapshot->fields(),
                   query.as_libtiledb ? AggregateRules::libtiledb : AggregateRules::common);
  Query unordered = query;
  unordered.order = Order::unordered;
  const SparseQuery sparse = make_sparse_query(snapshot, unordered, set.fields());
  SparseParts parts(sparse, unordered.work);
  while (std::optional<SparsePart> part = parts.next()) {
    std::erase_if(part->tiles, [&](const SparseTile& tile) {
      return whole(sparse, tile) &&
             add_statistics(set, query.aggregates, *snapshot->fragments(query.work)[tile.fragment], tile.tile,
                            tile.cells);
    });
    if (part->tiles.empty()) continue;
    if (sparse.sorts())
      add_sorted(sparse, std::move(*part), set, query.work);
    else
      add_unsorted(sparse, std::move(*part), set, query.work);
  }
  return one_batch(set.finish());
}

}  // namespace tegula::tiledb
