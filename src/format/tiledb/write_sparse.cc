#include "format/tiledb/write_sparse.h"

#include <algorithm>

#include "base/fail.h"
#include "format/tiledb/cell_sort.h"
#include "format/tiledb/cell_tiles.h"
#include "format/tiledb/with_type.h"
#include "format/tiledb/write_input.h"

namespace tegula::tiledb {

namespace {

// First cell that is not within [low, high]; a NaN never is.
template <class T>
std::uint64_t first_outside(const Column& column, T low, T high) {
  const std::uint64_t cells = column.cells();
  const std::byte* data = column.data.data();
  for (std::uint64_t i = 0; i < cells; ++i) {
    const T value = load_le<T>(data + i * sizeof(T));
    if (!(value >= low && value <= high)) return i;
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

std::string place_of(const ArraySchema& schema, std::span<const Column> coordinates, std::uint64_t cell) {
  std::string text;
  for (std::size_t d = 0; d < coordinates.size(); ++d) {
    if (d > 0) text += ", ";
    if (coordinates[d].var()) {
      text += fmt::format("'{}'", text_of(coordinates[d].cell(cell)));
    } else {
      with_number(schema.dimensions[d].type,
                  [&]<class T>(T) { text += fmt::format("{}", load_le<T>(coordinates[d].cell(cell).data())); });
    }
  }
  return "(" + text + ")";
}

void check_order(const ArraySchema& schema, std::span<const Column> coordinates, std::span<const std::uint64_t> order,
                 bool given) {
  for (std::uint64_t i = 0; given && i < order.size(); ++i)
    if (order[i] != i)
      fail(ErrorKind::invalid_argument, "cell {} {} is not in global order; write unordered cells with another order",
           i, place_of(schema, coordinates, i));
  if (schema.allows_duplicates) return;
  for (std::uint64_t i = 1; i < order.size(); ++i)
    if (CellOrder::same_place(coordinates, order[i - 1], order[i]))
      fail(ErrorKind::invalid_argument, "cells {} and {} lie at the same place {}; the array allows no duplicates",
           order[i - 1], order[i], place_of(schema, coordinates, order[i]));
}

}  // namespace

void write_sparse(const WriteTarget& target, const Batch& cells, std::uint64_t time, const WriteOptions& options) {
  const ArraySchema& schema = *target.schema;
  const std::vector<const Column*> columns = input_columns(schema, cells, true);
  if (cells.cells == 0) return;
  const std::span<const Column* const> dimensions = std::span(columns).subspan(schema.attributes.size());
  check_coordinates(schema, dimensions);
  for (std::size_t i = 0; i < schema.attributes.size(); ++i) check_data_order(schema.attributes[i], *columns[i]);
  std::vector<Column> coordinates;
  for (const Column* column : dimensions) coordinates.push_back(*column);
  const Buffer<std::uint64_t> order = CellOrder(schema, Order::global).sort(coordinates, options.work);
  check_order(schema, coordinates, order, options.order == Order::global);

  const std::uint64_t tiles = (cells.cells + schema.capacity - 1) / schema.capacity;
  const auto cells_of = [&](std::uint64_t tile) {
    const std::uint64_t first = tile * schema.capacity;
    return std::span<const std::uint64_t>(order).subspan(first, std::min(schema.capacity, cells.cells - first));
  };
  std::uint64_t bytes = 0;
  for (const Column* column : columns) bytes += column->bytes();

  FragmentWriter writer(target, false, time);
  const std::vector<StoredField>& fields = writer.fields();
  writer.add_tiles(
      tiles, bytes / tiles,
      [&](std::uint64_t tile, std::size_t field) {
        return gather_tile(fields[field], *columns[field], cells_of(tile));
      },
      options.work);
  MbrTable rectangles(schema.range_types());
  add_rectangles(schema, dimensions, order, rectangles, options.work);
  writer.commit(cover_of(std::move(rectangles), schema, cells_of(tiles - 1).size()));
}

}  // namespace tegula::tiledb
