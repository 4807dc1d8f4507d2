#include <algorithm>

#include "base/parallel.h"
#include "format/tiledb/aggregate_read.h"
#include "format/tiledb/sparse_cells.h"
#include "format/tiledb/sparse_stream.h"

namespace tegula::tiledb {

namespace {

// Whether every cell of the tile is seen and counts.
bool whole(const SparseQuery& query, const SparseTile& tile) {
  const Fragment& fragment = *query.state->fragments({})[tile.fragment];
  if (query.deduplicates() || tile.overlap != Overlap::all || fragment.has_deletes()) return false;
  if (fragment.has_timestamps() && !query.state->window().contains(fragment.first_time(), fragment.last_time()))
    return false;
  if (match_by_statistics(query.where, fragment, tile.tile) != Match::all) return false;
  const auto& deletes = query.deletes[tile.fragment];
  return std::all_of(deletes.begin(), deletes.end(), [&](const FragmentDelete& removal) {
    return match_by_statistics(removal.stays, fragment, tile.tile) == Match::all;
  });
}

// Ends of the runs of `order` that are summed by themselves before they are added up, which is how libtiledb rounds:
// tile by tile, and where fragments are merged, neighbours in a tile that stay neighbours.
std::vector<std::uint64_t> runs_of(const SparseQuery& query, const SparseCells& cells,
                                   std::span<const std::uint64_t> order) {
  std::vector<std::uint64_t> ends;
  std::size_t tile = 0;
  for (std::uint64_t i = 0; i < order.size(); ++i) {
    const bool same_tile = i > 0 && order[i] >= cells.first[tile] && order[i] < cells.first[tile + 1];
    const bool next = same_tile && (!query.deduplicates() || order[i] == order[i - 1] + 1);
    if (!same_tile)
      tile = static_cast<std::size_t>(std::upper_bound(cells.first.begin(), cells.first.end(), order[i]) -
                                      cells.first.begin()) -
             1;
    if (i > 0 && !next) ends.push_back(i);
  }
  if (!order.empty()) ends.push_back(order.size());
  return ends;
}

void add_cells(const SparseQuery& query, SparseCells& cells, AggregateSet& set, const Work& work) {
  const Buffer<std::uint64_t> order = result_order(query, cells, work);
  const std::vector<Column> columns = gather_fields(query, cells, order, set.fields(), work);
  const std::vector<ColumnView> views(columns.begin(), columns.end());
  std::uint64_t first = 0;
  for (const std::uint64_t end : runs_of(query, cells, order)) {
    AggregateSet part = set.fresh();
    part.update(views, first, end - first);
    set.merge(part);
    first = end;
  }
}

}  // namespace

std::unique_ptr<BatchStream> aggregate_sparse(std::shared_ptr<const ReadState> state, const Query& query) {
  AggregateSet set(query.aggregates, state->fields(), Rules::tiledb);
  Query unordered = query;
  unordered.order = Order::unordered;
  const SparseQuery sparse = make_sparse_query(state, unordered, set.fields());
  SparseParts parts(sparse, unordered.work);
  while (std::optional<SparsePart> part = parts.next()) {
    std::erase_if(part->tiles, [&](const SparseTile& tile) {
      return whole(sparse, tile) &&
             add_statistics(set, query.aggregates, *state->fragments(query.work)[tile.fragment], tile.tile, tile.cells);
    });
    SparseCells cells = find_cells(sparse, part->ranges, std::move(part->tiles), query.work);
    add_cells(sparse, cells, set, query.work);
  }
  return one_batch(set.finish());
}

}  // namespace tegula::tiledb
