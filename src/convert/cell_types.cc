#include "convert/cell_types.h"

#include <algorithm>
#include <cstring>

#include "base/fail.h"

namespace tegula {

namespace {

// The unit whose bytes are swapped: a number, a code point, a tick.
std::uint32_t swap_unit(const Datatype& type) {
  switch (type.id) {
    case TypeId::complex64:
      return 4;
    case TypeId::complex128:
      return 8;
    case TypeId::unicode:
      return 4;
    case TypeId::bytes:
    case TypeId::raw:
    case TypeId::record:
    case TypeId::object:
      return 1;
    default:
      return type.size;
  }
}

void swap_units(Bytes& data, std::uint32_t unit) {
  for (std::size_t at = 0; unit > 1 && at + unit <= data.size(); at += unit)
    std::reverse(data.begin() + static_cast<std::ptrdiff_t>(at), data.begin() + static_cast<std::ptrdiff_t>(at + unit));
}

// Changes the size of cells; longer ones are padded with zeros.
void pad_cells(Column& column, std::uint64_t size) {
  Bytes data(column.cells() * size);
  std::fill(data.begin(), data.end(), std::byte{0});
  for (std::size_t i = 0; i < column.cells(); ++i) {
    const ByteView cell = column.cell(i);
    if (cell.size() > size)
      fail(ErrorKind::invalid_argument, "a cell of '{}' has {} bytes and the target takes {}", column.name, cell.size(),
           size);
    if (!cell.empty()) std::memcpy(data.data() + i * size, cell.data(), cell.size());
  }
  column.data = std::move(data);
  column.offsets.clear();
}

bool same_form(const Datatype& a, const Datatype& b) {
  const auto opaque = [](const Datatype& t) {
    return t.is_text() || t.id == TypeId::bytes || t.id == TypeId::unicode || t.id == TypeId::raw ||
           t.id == TypeId::blob;
  };
  return a.id == b.id || (opaque(a) && opaque(b));
}

}  // namespace

void as_type(Column& column, const Attribute& to) {
  if (!same_form(column.type, to.type))
    fail(ErrorKind::invalid_argument, "'{}' is {} and the target {}", column.name, display_name(column.type),
         display_name(to.type));
  if (column.type.big_endian != to.type.big_endian) swap_units(column.data, swap_unit(column.type));
  const bool var = to.values_per_cell == kVar;
  if (column.var() != var || (!var && column.cell_size() != to.cell_size())) {
    if (var) fail(ErrorKind::invalid_argument, "'{}' has cells of a fixed size and the target of any", column.name);
    pad_cells(column, to.cell_size());
  }
  column.type = to.type;
  column.values_per_cell = to.values_per_cell;
}

}  // namespace tegula
