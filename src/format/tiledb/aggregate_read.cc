#include "format/tiledb/aggregate_read.h"

#include <algorithm>
#include <limits>

#include "base/parallel.h"
#include "format/tiledb/dense_blocks.h"
#include "format/tiledb/dense_filter.h"
#include "format/tiledb/sparse_tiles.h"
#include "query/gather.h"

namespace tegula::tiledb {

namespace {

constexpr std::uint64_t kBlock = 1 << 16;  // cells that one accumulator sees before it is merged
constexpr std::size_t kWindow = 64;        // tiles whose results are held at once

class OneBatch final : public BatchStream {
 public:
  explicit OneBatch(Batch batch) : batch_(std::move(batch)) {}
  std::optional<Batch> next() override { return std::exchange(batch_, std::nullopt); }

 private:
  std::optional<Batch> batch_;
};

// Blocks of a fixed size, merged in order, so that sums do not depend on the number of threads.
void update(AggregateSet& set, std::span<const Column> columns, std::uint64_t cells, const std::uint8_t* mask, const Work& work) {
  const std::vector<ColumnView> views(columns.begin(), columns.end());
  const std::size_t blocks = (cells + kBlock - 1) / kBlock;
  std::vector<std::optional<AggregateSet>> parts(blocks);
  parallel_for(work, blocks, [&](std::size_t b) {
    const std::uint64_t first = b * kBlock;
    parts[b].emplace(set.fresh());
    parts[b]->update(views, first, std::min(kBlock, cells - first), mask ? mask + first : nullptr);
  });
  for (const std::optional<AggregateSet>& part : parts) set.merge(*part);
}

class DenseAggregation {
 public:
  DenseAggregation(const ReadState& state, const Query& query)
      : state_(state), query_(query), condition_(bind_condition(state, query)), set_(query.aggregates, state.fields(), Rules::tiledb) {
    loaded_ = set_.fields();
    for (const FieldInfo& field : condition_.fields())
      if (std::none_of(loaded_.begin(), loaded_.end(), [&](const FieldInfo& f) { return f.name == field.name; }))
        loaded_.push_back(field);
  }

  Batch run() {
    const DenseRequest request = dense_request(state_, query_);
    const bool plain = condition_.empty() && !request.selection.points &&
                       std::all_of(set_.fields().begin(), set_.fields().end(), [](const FieldInfo& f) { return !f.dimension; });
    if (plain) {
      by_tile(request.selection);
    } else {
      DenseBlocks blocks(state_, request.selection, Order::row, loaded_, query_.work);
      while (std::optional<DenseBlock> block = blocks.next()) read(set_, *block, query_.work);
    }
    return set_.finish();
  }

 private:
  void read(AggregateSet& set, const DenseBlock& block, const Work& work) const {
    std::vector<Column> columns = read_columns(state_, *block.plan, block.selection, loaded_, false, work);
    std::vector<std::uint8_t> mask;
    if (!condition_.empty()) {
      std::vector<Column> tested;
      for (const FieldInfo& field : condition_.fields())
        for (const Column& column : columns)
          if (column.name == field.name) {
            tested.push_back(column);
            break;
          }
      mask = match_cells(state_, *block.plan, condition_, tested, false, work);
    }
    columns.resize(set.fields().size());
    update(set, columns, block.plan->cells(), mask.empty() ? nullptr : mask.data(), work);
  }

  // True when the block is all of a tile that one fragment wrote and whose statistics answer.
  bool from_statistics(AggregateSet& set, const DenseSelection& selection) const {
    const DenseGrid& grid = state_.grid();
    std::vector<std::uint64_t> first, last, tile;
    std::uint64_t cells = 1;
    for (std::size_t d = 0; d < grid.dimensions(); ++d) {
      const AxisRuns& axis = selection.axes[d];
      if (axis.runs.size() != 1 || axis.runs[0].step != 1) return false;
      first.push_back(axis.runs[0].start);
      last.push_back(axis.runs[0].at(axis.length - 1));
      tile.push_back(first[d] / grid.extent[d]);
      const std::uint64_t begin = tile[d] * grid.extent[d], end = std::min(grid.last[d], begin + (grid.extent[d] - 1));
      if (first[d] != begin || last[d] != end) return false;
      cells *= axis.length;
    }
    const DensePlanner& planner = state_.planner(query_.work);
    const std::optional<std::uint32_t> source = planner.sole_source(first, last);
    return source && add_statistics(set, query_.aggregates, *state_.fragments(query_.work)[*source],
                                    planner.tile_number(*source, tile), cells);
  }

  void by_tile(const DenseSelection& selection) {
    DenseBlocks blocks(state_, selection, Order::global, loaded_, query_.work);
    for (bool more = true; more;) {
      std::vector<DenseBlock> window;
      while (window.size() < kWindow && more) {
        if (std::optional<DenseBlock> block = blocks.next())
          window.push_back(std::move(*block));
        else
          more = false;
      }
      std::vector<std::optional<AggregateSet>> parts(window.size());
      parallel_for(query_.work, window.size(), [&](std::size_t i) {
        parts[i].emplace(set_.fresh());
        if (!from_statistics(*parts[i], window[i].selection)) read(*parts[i], window[i], query_.work);
      });
      for (const std::optional<AggregateSet>& part : parts) set_.merge(*part);
    }
  }

  const ReadState& state_;
  const Query& query_;
  Condition condition_;
  AggregateSet set_;
  std::vector<FieldInfo> loaded_;
};

}  // namespace

std::unique_ptr<BatchStream> one_batch(Batch batch) { return std::make_unique<OneBatch>(std::move(batch)); }

bool add_statistics(AggregateSet& set, std::span<const Aggregate> aggregates, const Fragment& fragment, std::uint64_t tile,
                    std::uint64_t cells) {
  std::vector<AggregateStats> all(aggregates.size());
  for (std::size_t i = 0; i < aggregates.size(); ++i) {
    AggregateStats& stats = all[i];
    stats.cells = cells;
    const std::optional<std::size_t> input = set.field_of(i);
    if (!input) continue;
    const FieldInfo& field = set.fields()[*input];
    const StoredField* stored = stored_field(fragment, field);
    if (!stored || field.dimension || !(stored->type == field.type) || stored->values_per_cell != field.values_per_cell ||
        stored->nullable != field.nullable)
      return false;
    const AggregateOp op = aggregates[i].op;
    const Fragment::Trust trust = fragment.trust(*stored);
    if (field.nullable) {
      if (!trust.null_counts) return false;
      const auto nulls = fragment.null_counts(stored->slot);
      if (tile >= nulls.size() || nulls[tile] > cells) return false;
      stats.null_count = nulls[tile];
    }
    if (op == AggregateOp::min || op == AggregateOp::max) {
      if (!trust.extremes) return false;
      const TileExtremes &mins = fragment.mins(stored->slot), &maxs = fragment.maxs(stored->slot);
      if (!mins.present() || !maxs.present()) return false;
      stats.min = mins.at(tile);
      stats.max = maxs.at(tile);
    }
    if (op == AggregateOp::sum || op == AggregateOp::mean) {
      if (!trust.sums) return false;
      const auto sums = fragment.sums(stored->slot);
      if (tile >= sums.size()) return false;
      stats.sum = std::as_bytes(sums.subspan(tile, 1));
    }
    if (!set[i].can_add(stats)) return false;
  }
  for (std::size_t i = 0; i < aggregates.size(); ++i) set[i].add(all[i]);
  return true;
}

std::unique_ptr<BatchStream> aggregate_dense(std::shared_ptr<const ReadState> state, const Query& query) {
  return one_batch(DenseAggregation(*state, query).run());
}

}  // namespace tegula::tiledb
