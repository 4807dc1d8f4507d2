#include "format/tiledb/dense/dense_aggregate.h"

#include <algorithm>
#include <functional>

#include "base/parallel.h"
#include "format/tiledb/dense/dense_blocks.h"
#include "format/tiledb/dense/dense_filter.h"
#include "format/tiledb/read/tile_aggregates.h"
#include "query/columns/gather.h"

namespace tegula::tiledb {

namespace {

constexpr std::size_t kWindow = 64;  // tiles whose results are held at once

bool sums_floats(const AggregateSet& set, std::span<const Aggregate> aggregates) {
  for (std::size_t i = 0; i < aggregates.size(); ++i)
    if (const auto input = set.field_of(i);
        input && set.fields()[*input].type.is_float() &&
        (aggregates[i].op == AggregateOp::sum || aggregates[i].op == AggregateOp::mean))
      return true;
  return false;
}

class DenseAggregation {
 public:
  DenseAggregation(const Snapshot& snapshot, const Query& query)
      : snapshot_(snapshot),
        query_(query),
        condition_(bind_condition(snapshot, query)),
        set_(query.aggregates, snapshot.fields(),
             query.as_libtiledb ? AggregateRules::libtiledb : AggregateRules::common) {
    by_row_ = query.as_libtiledb && sums_floats(set_, query.aggregates);
    loaded_ = set_.fields();
    for (const FieldInfo& field : condition_.fields())
      if (std::none_of(loaded_.begin(), loaded_.end(), [&](const FieldInfo& f) { return f.name == field.name; }))
        loaded_.push_back(field);
  }

  Batch run() {
    const DenseRequest request = dense_request(snapshot_, query_);
    if (request.selection.points) {
      DenseBlocks blocks(snapshot_, request.selection, Order::row, loaded_, query_.work);
      while (std::optional<DenseBlock> block = blocks.next()) read(set_, *block);
    } else {
      by_tile(request.selection);
    }
    return set_.finish();
  }

 private:
  // By the common rule every aggregate looks at the written cells that match. libtiledb's count takes all cells of the
  // selection, also those that do not match or were never written.
  void read(AggregateSet& set, const DenseBlock& block) const {
    const std::uint64_t cells = block.plan->cells();
    if (block.selection.points || written(block.selection)) {
      std::vector<Column> columns = read_columns(snapshot_, *block.plan, block.selection, loaded_, false, query_.work);
      std::vector<std::uint8_t> matching;
      if (!condition_.empty()) {
        std::vector<Column> tested;
        for (const FieldInfo& field : condition_.fields())
          tested.push_back(
              *std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.name == field.name; }));
        matching = match_cells(snapshot_, *block.plan, condition_, tested, false, query_.work);
      }
      const std::vector<std::uint8_t> counted =
          both(matching, written_cells(snapshot_, *block.plan, nullptr, query_.work));
      std::vector<std::vector<std::uint8_t>> masks;
      for (const FieldInfo& field : set.fields())
        masks.push_back(both(matching, written_cells(snapshot_, *block.plan, &field, query_.work)));
      columns.resize(set.fields().size());
      const std::uint64_t row = by_row_ && !block.selection.points ? summed_cells(block.plan->shape) : cells;
      const std::vector<ColumnView> views(columns.begin(), columns.end());
      const auto from = [](const std::vector<std::uint8_t>& mask, std::uint64_t first) {
        return mask.empty() ? nullptr : mask.data() + first;
      };
      for (std::uint64_t first = 0; first < cells; first += row) {
        AggregateSet part = set.fresh();
        for (std::size_t i = 0; i < part.size(); ++i) {
          if (const auto input = set.field_of(i))
            part[i].update(views[*input], first, row, from(masks[*input], first));
          else if (!query_.as_libtiledb)
            part[i].update({}, first, row, from(counted, first));
        }
        set.merge(part);
      }
    }
    if (!query_.as_libtiledb) return;
    AggregateStats counted;
    counted.cells = cells;
    for (std::size_t i = 0; i < set.size(); ++i)
      if (!set.field_of(i)) set[i].add(counted);
  }

  // An empty mask stands for all cells.
  static std::vector<std::uint8_t> both(const std::vector<std::uint8_t>& a, std::vector<std::uint8_t> b) {
    if (a.empty()) return b;
    if (b.empty()) return a;
    std::ranges::transform(a, b, b.begin(), std::bit_and<>());
    return b;
  }

  // Sums of floats are rounded as in libtiledb: it adds up whole tiles at once, parts of tiles row by row.
  std::uint64_t summed_cells(const std::vector<std::uint64_t>& shape) const {
    return condition_.empty() && shape == snapshot_.grid().extent ? snapshot_.grid().tile_cells : shape.back();
  }

  bool written(const DenseSelection& selection) const {
    std::vector<std::uint64_t> tile;
    for (std::size_t d = 0; d < selection.axes.size(); ++d)
      tile.push_back(selection.axes[d].runs[0].start / snapshot_.grid().extent[d]);
    return snapshot_.planner(query_.work).written(tile);
  }

  // True when the block is all of a tile that one fragment wrote and whose statistics answer.
  bool from_statistics(AggregateSet& set, const DenseSelection& selection) const {
    const DenseGrid& grid = snapshot_.grid();
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
    // The statistics of a tile that reaches past the domain may count its padding.
    if (cells != grid.tile_cells) return false;
    const DensePlanner& planner = snapshot_.planner(query_.work);
    const std::optional<std::uint32_t> source = planner.sole_source(first, last);
    return source && add_statistics(set, query_.aggregates, *snapshot_.fragments(query_.work)[*source],
                                    planner.tile_number(*source, tile), cells);
  }

  void by_tile(const DenseSelection& selection) {
    DenseBlocks blocks(snapshot_, selection, Order::global, loaded_, query_.work);
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
        if (!condition_.empty() || !from_statistics(*parts[i], window[i].selection)) read(*parts[i], window[i]);
      });
      for (const std::optional<AggregateSet>& part : parts) set_.merge(*part);
    }
  }

  const Snapshot& snapshot_;
  const Query& query_;
  Condition condition_;
  AggregateSet set_;
  bool by_row_ = false;
  std::vector<FieldInfo> loaded_;
};

}  // namespace

std::unique_ptr<BatchStream> aggregate_dense(std::shared_ptr<const Snapshot> snapshot, const Query& query) {
  return one_batch(DenseAggregation(*snapshot, query).run());
}

}  // namespace tegula::tiledb
