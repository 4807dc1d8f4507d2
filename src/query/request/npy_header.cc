#include "query/request/npy_header.h"

#include <fmt/format.h>

namespace tegula {

std::string npy_header(const Datatype& type, const std::vector<std::uint64_t>& shape, bool room) {
  std::string descr = numpy_string(type);
  if (descr.empty() || descr[0] != '[') descr = "'" + descr + "'";
  std::string axes;
  for (const std::uint64_t n : shape) axes += fmt::format("{}{}", n, shape.size() == 1 ? "," : ", ");
  if (shape.size() > 1) axes.resize(axes.size() - 2);
  std::string dict = fmt::format("{{'descr': {}, 'fortran_order': False, 'shape': ({}), }}", descr, axes);
  const std::size_t most = room ? dict.size() - axes.size() + 22 * shape.size() : dict.size();
  const std::size_t before = most + 11 > 65000 ? 12 : 10;
  const std::size_t total = (before + most + 1 + 63) / 64 * 64;
  dict.append(total - before - dict.size() - 1, ' ');
  dict += '\n';
  std::string out(kNpyMagic);
  out += before == 12 ? '\x02' : '\x01';
  out += '\0';
  for (std::size_t i = 0; i < before - 8; ++i) out += static_cast<char>(dict.size() >> (8 * i) & 255);
  return out + dict;
}

bool npy_text(TypeId id) {
  return id == TypeId::character || id == TypeId::ascii || id == TypeId::utf8 || id == TypeId::wkt;
}

std::optional<NpyLayout> npy_layout(const Column& column) {
  if (column.var()) return std::nullopt;
  NpyLayout out;
  out.type = column.type;
  if (npy_text(column.type.id))
    out.type = Datatype(TypeId::bytes, column.values_per_cell * column.type.size);
  else if (column.type.is_text() || (column.type.id >= TypeId::any && column.type.id <= TypeId::wkt))
    out.type = Datatype(TypeId::raw, static_cast<std::uint32_t>(column.cell_size()));
  else if (column.values_per_cell != 1)
    out.shape.push_back(column.values_per_cell);
  return out;
}

}  // namespace tegula
