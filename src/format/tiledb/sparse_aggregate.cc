#include <algorithm>

#include "base/parallel.h"
#include "format/tiledb/aggregate_read.h"
#include "format/tiledb/sparse_cells.h"
#include "format/tiledb/sparse_stream.h"

namespace tegula::tiledb {

namespace {

constexpr std::uint64_t kBlock = 1 << 16;

// Whether every cell of the tile is seen and counts.
bool whole(const SparseQuery& query, const SparseTile& tile) {
  const Fragment& fragment = *query.state->fragments({})[tile.fragment];
  if (query.deduplicates() || tile.overlap != Overlap::all || fragment.has_deletes()) return false;
  if (fragment.has_timestamps() && !query.state->window().contains(fragment.first_time(), fragment.last_time())) return false;
  if (match_by_statistics(query.where, fragment, tile.tile) != Match::all) return false;
  const auto& deletes = query.deletes[tile.fragment];
  return std::all_of(deletes.begin(), deletes.end(), [&](const FragmentDelete& removal) {
    return match_by_statistics(removal.stays, fragment, tile.tile) == Match::all;
  });
}

void add_cells(const SparseQuery& query, SparseCells& cells, AggregateSet& set, const Work& work) {
  const Buffer<std::uint64_t> order = result_order(query, cells, work);
  const std::vector<Column> columns = gather_fields(query, cells, order, set.fields(), work);
  const std::vector<ColumnView> views(columns.begin(), columns.end());
  const std::size_t blocks = (order.size() + kBlock - 1) / kBlock;
  std::vector<std::optional<AggregateSet>> parts(blocks);
  parallel_for(work, blocks, [&](std::size_t b) {
    parts[b].emplace(set.fresh());
    parts[b]->update(views, b * kBlock, std::min<std::uint64_t>(kBlock, order.size() - b * kBlock));
  });
  for (const std::optional<AggregateSet>& part : parts) set.merge(*part);
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
      return whole(sparse, tile) && add_statistics(set, query.aggregates, *state->fragments(query.work)[tile.fragment],
                                                   tile.tile, tile.cells);
    });
    SparseCells cells = find_cells(sparse, part->ranges, std::move(part->tiles), query.work);
    add_cells(sparse, cells, set, query.work);
  }
  return one_batch(set.finish());
}

}  // namespace tegula::tiledb
