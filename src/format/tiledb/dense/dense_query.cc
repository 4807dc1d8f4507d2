#include "format/tiledb/dense/dense_query.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/fail.h"
#include "format/tiledb/dense/dense_aggregate.h"
#include "format/tiledb/dense/dense_blocks.h"
#include "format/tiledb/dense/dense_filter.h"
#include "format/tiledb/dense/dense_rows.h"
#include "format/tiledb/read/labels.h"
#include "model/strided.h"
#include "query/columns/gather.h"
#include "store/wrap/wait_each.h"

namespace tegula::tiledb {

namespace {

class DenseBatches final : public BatchStream {
 public:
  DenseBatches(std::shared_ptr<const Snapshot> snapshot, const Query& query)
      : snapshot_(std::move(snapshot)),
        query_(query),
        order_(query.order.value_or(Order::row)),
        fields_(result_fields(*snapshot_, query, labels_)),
        condition_(bind_condition(*snapshot_, query)),
        request_(dense_request(*snapshot_, query)),
        loaded_(fields_) {
    for (const FieldInfo& field : condition_.fields()) {
      const auto at =
          std::find_if(fields_.begin(), fields_.end(), [&](const FieldInfo& f) { return f.name == field.name; });
      if (at == fields_.end()) loaded_.push_back(field);
    }
    for (const std::string& name : labels_)
      if (request_.selection.points)
        fail(ErrorKind::invalid_argument, "label '{}' cannot be read for single points", name);
    // When only labels are asked for, no cells are read.
    if (!fields_.empty() || labels_.empty())
      blocks_.emplace(*snapshot_, request_.selection, order_, loaded_, query_.work);
  }

  std::optional<Batch> next() override {
    query_.work.check();
    std::optional<Batch> batch = blocks_ ? next_cells() : std::nullopt;
    if (!batch && first_ && (!labels_.empty() || blocks_)) {
      batch.emplace();
      for (const FieldInfo& field : fields_) batch->columns.push_back(empty_column(field));
    }
    if (batch && !labels_.empty()) add_labels(*batch);
    first_ = false;
    return batch;
  }

 private:
  std::optional<Batch> next_cells() {
    if (order_ == Order::global && !request_.selection.points) return next_tiles();
    const std::optional<DenseBlock> block = blocks_->next();
    if (!block) return std::nullopt;
    Batch batch = read(*block);
    if (order_ != Order::col && order_ != Order::global) batch.shape = shape_of(*block);
    return batch;
  }

  // Joins tiles up to a part of the budget that leaves room for the next ones. Those of a remote store are read side by
  // side.
  std::optional<Batch> next_tiles() {
    const Store& store = *snapshot_->store();
    const std::size_t at_once = std::max(1u, store.hints().in_flight);
    std::optional<Batch> joined;
    while (!joined || bytes_of(*joined) < query_.work.memory / 4) {
      std::vector<DenseBlock> tiles;
      std::uint64_t bytes = 0;
      while (tiles.size() < at_once && bytes < query_.work.memory / 8) {
        std::optional<DenseBlock> tile = blocks_->next();
        if (!tile) break;
        bytes += blocks_->bytes_of(*tile);
        tiles.push_back(*std::move(tile));
      }
      if (tiles.empty()) break;
      std::vector<Batch> batches(tiles.size());
      wait_each(store, query_.work, tiles.size(), bytes / tiles.size(),
                [&](std::size_t i) { batches[i] = read(tiles[i]); });
      for (Batch& batch : batches) {
        if (joined)
          append(*joined, batch);
        else
          joined = std::move(batch);
        batch = {};
      }
    }
    if (joined) joined->shape.reset();
    return joined;
  }

  static std::uint64_t bytes_of(const Batch& batch) {
    std::uint64_t bytes = 0;
    for (const Column& column : batch.columns) bytes += column.bytes();
    return bytes;
  }

  std::vector<std::uint64_t> shape_of(const DenseBlock& block) const {
    std::vector<std::uint64_t> shape;
    for (std::size_t d = 0; d < request_.dropped.size(); ++d)
      if (!request_.dropped[d]) shape.push_back(block.plan->shape[d]);
    return shape;
  }

  Batch read(const DenseBlock& block) const {
    Batch batch;
    batch.columns = read_columns(*snapshot_, *block.plan, block.selection, loaded_, blocks_->fortran(), query_.work);
    batch.cells = block.plan->cells();
    if (!condition_.empty()) {
      std::vector<Column> tested;
      for (const FieldInfo& field : condition_.fields()) tested.push_back(*batch.column(field.name));
      const std::vector<std::uint8_t> mask =
          match_cells(*snapshot_, *block.plan, condition_, tested, blocks_->fortran(), query_.work);
      for (std::size_t i = 0; i < fields_.size(); ++i) {
        if (fields_[i].dimension) continue;
        const Attribute& attribute = *snapshot_->model().attribute(fields_[i].name);
        fill_unmatched(batch.columns[i], mask, attribute.fill, attribute.fill_valid);
      }
    }
    batch.columns.resize(fields_.size());
    return batch;
  }

  void add_labels(Batch& batch) const {
    for (const std::string& name : labels_) {
      const SchemaLabel& label = label_named(*snapshot_, name);
      Column column =
          read_labels(*snapshot_, label, first_ ? request_.selection.axes[label.dimension] : AxisRuns{}, query_.work);
      batch.columns.push_back(std::move(column));
    }
  }

  std::shared_ptr<const Snapshot> snapshot_;
  Query query_;
  Order order_;
  std::vector<std::string> labels_;
  std::vector<FieldInfo> fields_;
  Condition condition_;
  DenseRequest request_;
  std::vector<FieldInfo> loaded_;  // fields_, then what only the condition needs
  std::optional<DenseBlocks> blocks_;
  bool first_ = true;
};

}  // namespace

std::unique_ptr<BatchStream> query_dense(std::shared_ptr<const Snapshot> snapshot, const Query& query) {
  if (query.rows && query.aggregates.empty()) return query_dense_rows(std::move(snapshot), query);
  if (query.row_numbers || query.skip != 0 || query.limit != UINT64_MAX)
    fail(ErrorKind::invalid_argument, "a dense array has cells, not rows: row numbers, skip and limit need a table");
  if (!query.aggregates.empty()) return aggregate_dense(std::move(snapshot), query);
  return std::make_unique<DenseBatches>(std::move(snapshot), query);
}

void read_dense(const Snapshot& snapshot, const Selection& selection, std::string_view name, const StridedBuffer& out,
                const Work& work) {
  const Attribute* attribute = snapshot.model().attribute(name);
  if (!attribute) fail(ErrorKind::invalid_argument, "there is no attribute '{}'", name);
  if (attribute->values_per_cell == kVar)
    fail(ErrorKind::unsupported, "attribute '{}' has cells of variable size; use query()", name);
  Query query;
  query.select = selection;
  const DenseRequest request = dense_request(snapshot, query);
  const DensePlanner& planner = snapshot.planner(work);
  const DensePlan plan = request.selection.points ? planner.plan(*request.selection.points, work)
                                                  : planner.plan(request.selection.axes, work);
  std::vector<std::uint64_t> shape;
  for (std::size_t d = 0; d < plan.shape.size(); ++d)
    if (!request.dropped[d]) shape.push_back(plan.shape[d]);
  if (shape != out.shape || out.strides.size() != shape.size())
    fail(ErrorKind::invalid_argument, "the buffer has shape [{}], the selection [{}]", fmt::join(out.shape, ", "),
         fmt::join(shape, ", "));
  DenseField field;
  field.attribute = attribute;
  field.data = {out.data, {}, attribute->cell_size()};
  for (std::size_t d = 0, axis = 0; d < plan.shape.size(); ++d)
    field.data.strides.push_back(request.dropped[d] ? 0 : out.strides[axis++]);
  read_fixed(snapshot, plan, std::span(&field, 1), work);
}

}  // namespace tegula::tiledb
