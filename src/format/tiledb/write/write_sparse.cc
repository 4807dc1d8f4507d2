#include "format/tiledb/write/write_sparse.h"

#include <algorithm>
#include <numeric>

#include "base/fail.h"
#include "format/tiledb/disk/with_type.h"
#include "format/tiledb/order/cell_sort.h"
#include "format/tiledb/write/cell_tiles.h"
#include "format/tiledb/write/write_input.h"
#include "query/columns/gather.h"

namespace tegula::tiledb {

namespace {

// The first cell outside of [low, high]; NaN is always outside.
template <class T>
std::uint64_t first_outside(const Column& column, T low, T high) {
  const std::uint64_t cells = column.cells();
  const std::byte* data = column.data.data();
  constexpr std::uint64_t kBlock = 4096;
  for (std::uint64_t begin = 0; begin < cells; begin += kBlock) {
    const std::uint64_t end = std::min(cells, begin + kBlock);
    const auto outside = [&](std::uint64_t i) {
      const T value = load_le<T>(data + i * sizeof(T));
      return !(value >= low) | !(value <= high);
    };
    bool any = false;  // without a branch, for the vectoriser
    for (std::uint64_t i = begin; i < end; ++i) any |= outside(i);
    for (std::uint64_t i = begin; any && i < end; ++i)
      if (outside(i)) return i;
  }
  return cells;
}

void check_range(const SchemaDimension& dimension, const Column& column, ByteView low, ByteView high,
                 std::string_view what) {
  with_number(dimension.type, [&]<class T>(T) {
    const T first = load_le<T>(low.data()), last = load_le<T>(high.data());
    const std::uint64_t at = first_outside<T>(column, first, last);
    if (at == column.cells()) return;
    fail(ErrorKind::invalid_argument, "cell {}: coordinate {} of dimension '{}' is outside of the {} [{}, {}]", at,
         load_le<T>(column.cell(at).data()), dimension.name, what, first, last);
  });
}

void check_current_domain(const SchemaDimension& dimension, const Range& range, const Column& column) {
  if (!dimension.var()) {
    Bytes bounds;
    value_to_bytes(dimension.type, range.low, bounds);
    value_to_bytes(dimension.type, range.high, bounds);
    const ByteView view = bounds;
    return check_range(dimension, column, view.first(dimension.type.size), view.last(dimension.type.size),
                       "current domain");
  }
  const std::string &low = std::get<std::string>(range.low), &high = std::get<std::string>(range.high);
  for (std::uint64_t i = 0; i < column.cells(); ++i) {
    const std::string_view text = text_of(column.cell(i));
    if (text < low || text > high)
      fail(ErrorKind::invalid_argument,
           "cell {}: coordinate '{}' of dimension '{}' is outside of the current domain ['{}', '{}']", i, text,
           dimension.name, low, high);
  }
}

void check_coordinates(const ArraySchema& schema, std::span<const Column* const> coordinates) {
  for (std::size_t d = 0; d < schema.dimensions.size(); ++d) {
    const SchemaDimension& dimension = schema.dimensions[d];
    const ByteView domain = dimension.domain;
    if (!dimension.var())
      check_range(dimension, *coordinates[d], domain.first(dimension.type.size), domain.last(dimension.type.size),
                  "domain");
    if (schema.current_domain) check_current_domain(dimension, (*schema.current_domain)[d], *coordinates[d]);
  }
}

using Coordinates = CellOrder::Coordinates;

std::string place_of(const ArraySchema& schema, Coordinates coordinates, std::uint64_t cell) {
  std::string text;
  for (std::size_t d = 0; d < coordinates.size(); ++d) {
    if (d > 0) text += ", ";
    if (coordinates[d]->var()) {
      text += fmt::format("'{}'", text_of(coordinates[d]->cell(cell)));
    } else {
      with_number(schema.dimensions[d].type,
                  [&]<class T>(T) { text += fmt::format("{}", load_le<T>(coordinates[d]->cell(cell).data())); });
    }
  }
  return "(" + text + ")";
}

// `before` cells came in earlier pieces: messages count from the first of all.
Buffer<std::uint64_t> checked_order(const ArraySchema& schema, Coordinates coordinates, bool given,
                                    std::uint64_t before, const Work& work) {
  CellOrder::Twins twins;
  Buffer<std::uint64_t> order =
      CellOrder(schema, Order::global).sort(coordinates, work, schema.allows_duplicates ? nullptr : &twins);
  for (std::uint64_t i = 0; given && i < order.size(); ++i)
    if (order[i] != i)
      fail(ErrorKind::invalid_argument, "cell {} {} is not in global order; write unordered cells with another order",
           before + i, place_of(schema, coordinates, i));
  if (twins)
    fail(ErrorKind::invalid_argument,
         "cells {0} and {1} lie at the same place {2}. Duplicate coordinates {2} are not allowed",
         before + twins->first, before + twins->second, place_of(schema, coordinates, twins->first));
  return order;
}

// Cuts cells in global order, which come in pieces, into tiles of the schema's capacity.
class SparseFragment {
 public:
  SparseFragment(const WriteTarget& target, std::uint64_t time)
      : schema_(target.schema), writer_(target, false, time), rectangles_(schema_->range_types()) {}

  // Every call but the last adds whole tiles.
  void add(std::span<const Column* const> columns, std::span<const std::uint64_t> order, const Work& work) {
    const std::uint64_t capacity = schema_->capacity, tiles = (order.size() + capacity - 1) / capacity;
    std::uint64_t bytes = 0;
    for (const Column* column : columns) bytes += column->bytes();
    bytes = bytes / std::max<std::uint64_t>(1, columns[0]->cells()) * std::min<std::uint64_t>(capacity, order.size());
    const std::vector<StoredField>& fields = writer_.fields();
    TileRectangles rectangles(*schema_, tiles);
    writer_.add_tiles(
        tiles, bytes,
        [&](std::uint64_t tile, std::size_t field, TileColumn& out) {
          const std::uint64_t first = tile * capacity;
          gather_tile(fields[field], *columns[field], order.subspan(first, std::min(capacity, order.size() - first)),
                      out);
          rectangles.take(tile, fields[field], out);
        },
        work);
    rectangles.append_to(rectangles_);
    last_tile_cells_ = order.size() - (tiles - 1) * capacity;
  }

  void commit() { writer_.commit(cover_of(std::move(rectangles_), *schema_, last_tile_cells_)); }

 private:
  const std::shared_ptr<const ArraySchema> schema_;
  FragmentWriter writer_;
  MbrTable rectangles_;
  std::uint64_t last_tile_cells_ = 0;
};

// Keeps the cells that do not fill a tile yet.
class SparseCellWriter final : public CellWriter {
 public:
  SparseCellWriter(const WriteTarget& target, std::uint64_t time, const WriteOptions& options)
      : schema_(target.schema), work_(options.work), fragment_(target, time) {
    for (const SchemaAttribute& a : schema_->attributes) {
      if (a.order != DataOrder::unordered)
        fail(ErrorKind::unsupported, "attribute '{}' has ordered values, which are written at once", a.name);
      add_column(a.name, a.type, a.values_per_cell, a.nullable);
    }
    for (const SchemaDimension& d : schema_->dimensions) add_column(d.name, d.type, d.values_per_cell, false);
    last_ = held_;
  }

  void write(const Batch& cells) override {
    if (broken_) fail(ErrorKind::invalid_argument, "an earlier piece of the stream has failed, or it is committed");
    broken_ = true;
    const std::vector<const Column*> columns = input_columns(*schema_, cells, true);
    if (cells.cells > 0) {
      const Coordinates coordinates = std::span(columns).subspan(schema_->attributes.size());
      check_coordinates(*schema_, coordinates);
      const Buffer<std::uint64_t> order = checked_order(*schema_, coordinates, true, cells_, work_);
      check_seam(columns);
      take(columns, order, cells.cells);
      cells_ += cells.cells;
    }
    broken_ = false;
  }

  void commit() override {
    if (broken_) fail(ErrorKind::invalid_argument, "a piece of the stream has failed, or it is committed already");
    broken_ = true;
    if (cells_ == 0) return;
    flush();
    fragment_.commit();
  }

 private:
  void add_column(const std::string& name, const Datatype& type, std::uint32_t values_per_cell, bool nullable) {
    Column column;
    column.name = name;
    column.type = type;
    column.values_per_cell = values_per_cell;
    column.nullable = nullable;
    held_.push_back(empty_like(column));
  }

  // Checks the order of the last cell of a piece and the first of the next.
  void check_seam(std::span<const Column* const> columns) {
    const std::size_t attributes = schema_->attributes.size();
    if (cells_ > 0) {
      std::vector<const Column*> seam;
      for (std::size_t i = attributes; i < columns.size(); ++i) {
        append_cells(last_[i], *columns[i], 0, 1);
        seam.push_back(&last_[i]);
      }
      checked_order(*schema_, seam, true, cells_ - 1, work_);
    }
    for (std::size_t i = attributes; i < columns.size(); ++i) last_[i] = slice(*columns[i], columns[i]->cells() - 1, 1);
  }

  void take(std::span<const Column* const> columns, std::span<const std::uint64_t> order, std::uint64_t cells) {
    std::uint64_t first = 0;
    if (held_cells_ > 0) {
      first = std::min(cells, schema_->capacity - held_cells_);
      hold(columns, 0, first);
      if (held_cells_ == schema_->capacity) flush();
    }
    const std::uint64_t whole = (cells - first) / schema_->capacity * schema_->capacity;
    if (whole > 0) fragment_.add(columns, order.subspan(first, whole), work_);
    hold(columns, first + whole, cells - first - whole);
  }

  void hold(std::span<const Column* const> columns, std::uint64_t first, std::uint64_t count) {
    if (count == 0) return;
    for (std::size_t i = 0; i < columns.size(); ++i) append_cells(held_[i], *columns[i], first, count);
    held_cells_ += count;
  }

  void flush() {
    if (held_cells_ == 0) return;
    std::vector<const Column*> columns;
    for (const Column& column : held_) columns.push_back(&column);
    Buffer<std::uint64_t> order(held_cells_);
    std::iota(order.begin(), order.end(), std::uint64_t{0});
    fragment_.add(columns, order, work_);
    for (Column& column : held_) column = empty_like(column);
    held_cells_ = 0;
  }

  const std::shared_ptr<const ArraySchema> schema_;
  const Work work_;
  SparseFragment fragment_;
  std::vector<Column> held_, last_;
  std::uint64_t held_cells_ = 0, cells_ = 0;
  bool broken_ = false;
};

}  // namespace

void write_sparse(const WriteTarget& target, const Batch& cells, std::uint64_t time, const WriteOptions& options) {
  const ArraySchema& schema = *target.schema;
  const std::vector<const Column*> columns = input_columns(schema, cells, true);
  if (cells.cells == 0) return;
  const Coordinates coordinates = std::span(columns).subspan(schema.attributes.size());
  check_coordinates(schema, coordinates);
  for (std::size_t i = 0; i < schema.attributes.size(); ++i) check_data_order(schema.attributes[i], *columns[i]);
  const Buffer<std::uint64_t> order =
      checked_order(schema, coordinates, options.order == Order::global, 0, options.work);
  SparseFragment fragment(target, time);
  fragment.add(columns, order, options.work);
  fragment.commit();
}

std::unique_ptr<CellWriter> stream_sparse(const WriteTarget& target, std::uint64_t time, const WriteOptions& options) {
  return std::make_unique<SparseCellWriter>(target, time, options);
}

}  // namespace tegula::tiledb
