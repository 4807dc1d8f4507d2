#include "format/tiledb/write/write_input.h"

#include <algorithm>

#include "base/fail.h"
#include "format/tiledb/disk/nd_range.h"
#include "query/columns/gather.h"

namespace tegula::tiledb {

namespace {

struct Expected {
  std::string_view kind, name;
  const Datatype& type;
  std::uint32_t values_per_cell;
  bool nullable;
};

void check_offsets(const Expected& expected, const Column& column, std::uint64_t cells) {
  const auto& offsets = column.offsets;
  if (offsets.size() != cells + 1)
    fail(ErrorKind::invalid_argument, "{} '{}' has {} offsets for {} cells, expected {}", expected.kind, expected.name,
         offsets.size(), cells, cells + 1);
  if (!std::is_sorted(offsets.begin(), offsets.end()) || offsets.back() > column.data.size())
    fail(ErrorKind::invalid_argument, "{} '{}': the offsets do not rise, or leave the {} bytes of its data",
         expected.kind, expected.name, column.data.size());
  for (const std::uint64_t offset : offsets)
    if (offset % expected.type.size != 0)
      fail(ErrorKind::invalid_argument, "{} '{}': an offset of {} bytes splits a value of {}", expected.kind,
           expected.name, offset, expected.type.size);
}

const Column* find_column(const Expected& expected, const Batch& batch) {
  const Column* column = batch.column(expected.name);
  if (!column) fail(ErrorKind::invalid_argument, "there are no values for {} '{}'", expected.kind, expected.name);
  if (column->type != expected.type || column->values_per_cell != expected.values_per_cell) {
    const auto per_cell = [](std::uint32_t n) { return n == kVar ? std::string("any number") : std::to_string(n); };
    fail(ErrorKind::invalid_argument, "{} '{}' holds {} values of {} in a cell, found {} of {}{}", expected.kind,
         expected.name, per_cell(expected.values_per_cell), display_name(expected.type),
         per_cell(column->values_per_cell), display_name(column->type),
         column->type.big_endian ? " in big-endian order" : "");
  }
  if (expected.values_per_cell == kVar) {
    check_offsets(expected, *column, batch.cells);
  } else if (column->data.size() != batch.cells * column->cell_size()) {
    fail(ErrorKind::invalid_argument, "{} '{}' has {} bytes for {} cells, expected {}", expected.kind, expected.name,
         column->data.size(), batch.cells, batch.cells * column->cell_size());
  }
  if (!column->nullable) return column;
  if (column->validity.size() != batch.cells)
    fail(ErrorKind::invalid_argument, "{} '{}' has {} validity bytes for {} cells", expected.kind, expected.name,
         column->validity.size(), batch.cells);
  if (!expected.nullable &&
      std::find(column->validity.begin(), column->validity.end(), std::byte{0}) != column->validity.end())
    fail(ErrorKind::invalid_argument, "{} '{}' is not nullable, and there are nulls for it", expected.kind,
         expected.name);
  return column;
}

}  // namespace

std::vector<const Column*> input_columns(const ArraySchema& schema, const Batch& cells, bool dimensions) {
  std::vector<const Column*> columns;
  for (const SchemaAttribute& a : schema.attributes)
    columns.push_back(find_column({"attribute", a.name, a.type, a.values_per_cell, a.nullable}, cells));
  if (dimensions)
    for (const SchemaDimension& d : schema.dimensions)
      columns.push_back(find_column({"dimension", d.name, d.type, d.values_per_cell, false}, cells));
  for (const Column& column : cells.columns)
    if (std::none_of(columns.begin(), columns.end(), [&](const Column* c) { return c == &column; }))
      fail(ErrorKind::invalid_argument, "the array has no {} '{}', or it is given twice",
           dimensions ? "field" : "attribute", column.name);
  return columns;
}

void check_data_order(const SchemaAttribute& attribute, const Column& column) {
  if (attribute.order == DataOrder::unordered) return;
  const int expected = attribute.order == DataOrder::increasing ? -1 : 1;
  for (std::size_t i = 1; i < column.cells(); ++i)
    if (compare_values(attribute.type, attribute.var(), column.cell(i - 1), column.cell(i)) != expected)
      fail(ErrorKind::invalid_argument, "attribute '{}' must {} from cell to cell, and cell {} does not",
           attribute.name, expected < 0 ? "rise" : "fall", i);
}

void append_cells(Column& to, const Column& from, std::uint64_t first, std::uint64_t count) {
  if (to.nullable == from.nullable) return append(to, from, first, count);
  Column part = slice(from, first, count);
  part.nullable = to.nullable;
  part.validity.assign(to.nullable ? count : 0, std::byte{1});
  append(to, part);
}

}  // namespace tegula::tiledb
