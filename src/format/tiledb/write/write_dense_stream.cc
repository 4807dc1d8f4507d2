// Files hold tiles in tile order, so all cells of a tile must be there before it is written. Cut along the dimension
// that is slowest both in the input and in tile order, a box falls into bands of tiles that are contiguous in both:
// each band is collected, written and forgotten. Cells in global order may be cut into smaller bands.
#include "format/tiledb/write/write_dense_stream.h"

#include <algorithm>

#include "base/context.h"
#include "base/fail.h"
#include "base/product.h"
#include "format/tiledb/order/dense_grid.h"
#include "format/tiledb/write/write_input.h"
#include "model/strided.h"
#include "query/columns/gather.h"

namespace tegula::tiledb {

namespace {

constexpr std::uint64_t kVarCellBytes = 32;                 // a guess
constexpr std::uint64_t kEnough = std::uint64_t{64} << 20;  // a band of this many bytes keeps all threads busy

std::uint64_t cell_bytes(const ArraySchema& schema) {
  std::uint64_t bytes = 0;
  for (const SchemaAttribute& a : schema.attributes)
    bytes += (a.var() ? kVarCellBytes : std::uint64_t{a.values_per_cell} * a.type.size) + a.nullable;
  return bytes;
}

// The boxes of the bands, in order.
class Bands {
 public:
  Bands(const ArraySchema& schema, const DenseBox& box, Order order, std::uint64_t memory)
      : grid_(make_grid(schema)), box_(box) {
    const std::size_t n = grid_.dimensions();
    for (std::size_t i = 0; i < n; ++i) slowest_first_.push_back(grid_.tile_order == Order::col ? n - 1 - i : i);
    for (std::size_t d = 0; d < n; ++d) step_.push_back(box.count[d] + grid_.extent[d]);  // whole
    const std::uint64_t budget = std::max<std::uint64_t>(1, memory / 4);
    const std::uint64_t cell = std::max<std::uint64_t>(1, cell_bytes(schema));
    // When the input and the tiles have different orders, the whole box is the only band.
    const bool bands = order == Order::global || order == grid_.tile_order || n == 1;
    for (const std::size_t d : slowest_first_) {
      if (!bands) break;
      std::uint64_t rest = cell;  // bytes of a band of one cell along d
      for (std::size_t e = 0; e < n; ++e)
        if (e != d) rest = saturated_product(rest, std::min(step_[e], box.count[e]));
      const std::uint64_t tiles =
          std::max<std::uint64_t>(1, std::min(budget, kEnough) / saturated_product(rest, grid_.extent[d]));
      step_[d] = saturated_product(tiles, grid_.extent[d]);
      if (order != Order::global || saturated_product(rest, grid_.extent[d]) <= budget) break;
    }
    std::uint64_t bytes = cell;
    for (std::size_t d = 0; d < n; ++d) bytes = saturated_product(bytes, std::min(step_[d], box.count[d]));
    if (bytes > memory)
      fail(ErrorKind::unsupported,
           "cells in {} order over this box need {} bytes at once, and the budget is {}: give them in {} order, in "
           "global order, or raise the budget",
           name_of(order), bytes, memory, name_of(grid_.tile_order));
    next_.assign(n, 0);
    for (std::size_t d = 0; d < n; ++d) next_[d] = box.first[d];
  }

  // The next band; none after the last.
  std::optional<DenseBox> next() {
    if (done_) return std::nullopt;
    DenseBox band = box_;
    for (std::size_t d = 0; d < next_.size(); ++d) {
      band.first[d] = next_[d];
      band.count[d] = end_of(d) - next_[d];
    }
    done_ = true;
    for (std::size_t i = slowest_first_.size(); i-- > 0;) {
      const std::size_t d = slowest_first_[i];
      next_[d] = end_of(d);
      if (next_[d] < box_.first[d] + box_.count[d]) {
        done_ = false;
        break;
      }
      next_[d] = box_.first[d];
    }
    return band;
  }

 private:
  static std::string_view name_of(Order order) {
    return order == Order::row ? "row" : order == Order::col ? "col" : "global";
  }
  // Bands end where tiles end.
  std::uint64_t end_of(std::size_t d) const {
    const std::uint64_t end = box_.first[d] + box_.count[d];
    if (step_[d] >= box_.count[d] + grid_.extent[d]) return end;
    const std::uint64_t start = next_[d] / grid_.extent[d] * grid_.extent[d];
    return step_[d] < end - start ? start + step_[d] : end;
  }

  const DenseGrid grid_;
  const DenseBox box_;
  std::vector<std::size_t> slowest_first_;
  std::vector<std::uint64_t> step_, next_;
  bool done_ = false;
};

class DenseCellWriter final : public CellWriter {
 public:
  DenseCellWriter(const WriteTarget& target, const DenseBox& box, std::uint64_t time, const WriteOptions& options)
      : schema_(target.schema),
        box_(box),
        order_(options.order),
        work_(options.work),
        bands_(*schema_, box, order_, work_.memory),
        writer_(target, true, time) {
    for (const SchemaAttribute& a : schema_->attributes) {
      if (a.order != DataOrder::unordered)
        fail(ErrorKind::unsupported, "attribute '{}' has ordered values, which are written at once", a.name);
      Column column;
      column.name = a.name;
      column.type = a.type;
      column.values_per_cell = a.values_per_cell;
      column.nullable = a.nullable;
      held_.columns.push_back(empty_like(column));
    }
    band_ = bands_.next();
  }

  void write(const Batch& cells) override {
    if (broken_) fail(ErrorKind::invalid_argument, "an earlier piece of the stream has failed, or it is committed");
    broken_ = true;
    if (cells.cells > box_.cells() - cells_)
      fail(ErrorKind::invalid_argument, "{} cells for a box of {}", cells_ + cells.cells, box_.cells());
    const std::vector<const Column*> columns = input_columns(*schema_, cells, false);
    for (std::uint64_t at = 0; at < cells.cells;) {
      const std::uint64_t count = std::min(cells.cells - at, band_->cells() - held_.cells);
      for (std::size_t i = 0; i < columns.size(); ++i) append_cells(held_.columns[i], *columns[i], at, count);
      held_.cells += count;
      at += count;
      if (held_.cells == band_->cells()) flush();
    }
    cells_ += cells.cells;
    broken_ = false;
  }

  void commit() override {
    if (broken_) fail(ErrorKind::invalid_argument, "a piece of the stream has failed, or it is committed already");
    if (cells_ != box_.cells())
      fail(ErrorKind::invalid_argument, "{} cells for a box of {}: the rest is missing", cells_, box_.cells());
    broken_ = true;
    writer_.commit(dense_cover(*schema_, box_));
  }

 private:
  void flush() {
    add_dense_tiles(writer_, *schema_, *band_, held_, order_, work_);
    for (Column& column : held_.columns) {  // keeps the memory
      column.data.clear();
      column.offsets.clear();
      if (column.var()) column.offsets.push_back(0);
      column.validity.clear();
    }
    held_.cells = 0;
    band_ = bands_.next();
  }

  const std::shared_ptr<const ArraySchema> schema_;
  const DenseBox box_;
  const Order order_;
  const Work work_;
  Bands bands_;
  FragmentWriter writer_;
  std::optional<DenseBox> band_;
  Batch held_;
  std::uint64_t cells_ = 0;
  bool broken_ = false;
};

// A box without cells.
class EmptyCellWriter final : public CellWriter {
 public:
  void write(const Batch& cells) override {
    if (cells.cells > 0) fail(ErrorKind::invalid_argument, "{} cells for a box of none", cells.cells);
  }
  void commit() override {}
};

}  // namespace

std::unique_ptr<CellWriter> stream_dense(const WriteTarget& target, const DenseBox& box, std::uint64_t time,
                                         const WriteOptions& options) {
  check_dense_order(options.order);
  if (std::find(box.reversed.begin(), box.reversed.end(), true) != box.reversed.end())
    fail(ErrorKind::invalid_argument, "a stream is written forwards: give a box that is not reversed");
  if (box.cells() == 0) return std::make_unique<EmptyCellWriter>();
  return std::make_unique<DenseCellWriter>(target, box, time, options);
}

}  // namespace tegula::tiledb
