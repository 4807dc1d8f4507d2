#include "format/tiledb/dense/dense_rows.h"

#include <algorithm>

#include "base/fail.h"
#include "format/tiledb/dense/dense_blocks.h"
#include "format/tiledb/dense/dense_filter.h"
#include "query/columns/gather.h"
#include "query/run/table_query.h"

namespace tegula::tiledb {

namespace {

class DenseRows final : public BatchStream {
 public:
  DenseRows(std::shared_ptr<const Snapshot> snapshot, const Query& query)
      : snapshot_(std::move(snapshot)), query_(query), left_(query.limit), to_skip_(query.skip) {
    if (query_.fields && std::erase(*query_.fields, kRowColumn) > 0) query_.row_numbers = true;
    std::vector<std::string> labels;
    fields_ = result_fields(*snapshot_, query_, labels);
    if (!labels.empty()) fail(ErrorKind::invalid_argument, "label '{}' cannot be read row by row", labels[0]);
    condition_ = bind_condition(*snapshot_, query_);
    for (const FieldInfo& field : fields_)
      if (std::ranges::find(condition_.fields(), field.name, &FieldInfo::name) == condition_.fields().end())
        others_.push_back(field);
    std::vector<FieldInfo> loaded = condition_.fields();
    loaded.insert(loaded.end(), others_.begin(), others_.end());
    blocks_.emplace(*snapshot_, dense_request(*snapshot_, query_).selection, Order::row, loaded, query_.work);
  }

  std::optional<Batch> next() override {
    while (left_ > 0) {
      query_.work.check();
      const std::optional<DenseBlock> block = blocks_->next();
      if (!block) break;
      Batch rows = read(*block);
      const std::uint64_t skipped = std::min(to_skip_, rows.cells);
      const std::uint64_t taken = std::min(left_, rows.cells - skipped);
      to_skip_ -= skipped;
      left_ -= taken;
      if (taken == 0) continue;
      delivered_ = true;
      return taken < rows.cells ? slice(rows, skipped, taken) : std::move(rows);
    }
    // A result without rows still says what its columns are.
    if (delivered_) return std::nullopt;
    delivered_ = true;
    Batch empty;
    for (const FieldInfo& field : fields_) empty.columns.push_back(empty_column(field));
    if (query_.row_numbers) empty.columns.push_back(row_column({}));
    return empty;
  }

 private:
  // Reads what the condition needs, and the rest only where something matches.
  Batch read(const DenseBlock& block) const {
    const auto columns_of = [&](const std::vector<FieldInfo>& fields) {
      return read_columns(*snapshot_, *block.plan, block.selection, fields, false, query_.work);
    };
    std::vector<Column> columns = columns_of(condition_.fields());
    std::vector<std::uint8_t> mask = written_cells(*snapshot_, *block.plan, nullptr, query_.work);
    if (!condition_.empty()) {
      const std::vector<std::uint8_t> matching =
          match_cells(*snapshot_, *block.plan, condition_, columns, false, query_.work);
      if (mask.empty()) mask.assign(matching.size(), 1);
      for (std::size_t i = 0; i < mask.size(); ++i) mask[i] &= matching[i];
    }
    Batch out;
    out.cells = mask.empty() ? block.plan->cells() : count_set(mask);
    if (out.cells == 0) return out;
    for (Column& column : columns_of(others_)) columns.push_back(std::move(column));
    for (const FieldInfo& field : fields_) {
      Column& column = *std::ranges::find(columns, field.name, &Column::name);
      out.columns.push_back(mask.empty() ? column : filter(column, mask));
    }
    if (query_.row_numbers) out.columns.push_back(row_column(rows_of(block, mask)));
    return out;
  }

  static Buffer<std::uint64_t> rows_of(const DenseBlock& block, const std::vector<std::uint8_t>& mask) {
    Buffer<std::uint64_t> rows(block.plan->cells());
    if (block.selection.points)
      std::ranges::copy((*block.selection.points)[0], rows.begin());
    else
      for (const Run& run : block.selection.axes[0].runs)
        for (std::uint64_t i = 0; i < run.count; ++i)
          rows[run.out + static_cast<std::uint64_t>(run.out_step * static_cast<std::int64_t>(i))] = run.at(i);
    if (mask.empty()) return rows;
    Buffer<std::uint64_t> kept;
    for (std::size_t i = 0; i < mask.size(); ++i)
      if (mask[i]) kept.push_back(rows[i]);
    return kept;
  }

  static Column row_column(const Buffer<std::uint64_t>& rows) {
    Column column;
    column.name = kRowColumn;
    column.type = TypeId::uint64;
    const ByteView bytes = std::as_bytes(std::span(rows));
    column.data.assign(bytes.begin(), bytes.end());
    return column;
  }

  std::shared_ptr<const Snapshot> snapshot_;
  Query query_;
  Condition condition_;
  std::vector<FieldInfo> fields_, others_;  // others_: those of fields_ that the condition does not read
  std::optional<DenseBlocks> blocks_;
  std::uint64_t left_, to_skip_;
  bool delivered_ = false;
};

}  // namespace

std::unique_ptr<BatchStream> query_dense_rows(std::shared_ptr<const Snapshot> snapshot, const Query& query) {
  if (snapshot->grid().dimensions() != 1)
    fail(ErrorKind::invalid_argument, "the array has {} dimensions: only one of a single dimension is read by rows",
         snapshot->grid().dimensions());
  if (query.order && *query.order != Order::row && *query.order != Order::unordered)
    fail(ErrorKind::invalid_argument, "rows come in row order");
  return std::make_unique<DenseRows>(std::move(snapshot), query);
}

}  // namespace tegula::tiledb
