#include "serve/view/field_types.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/endian.h"
#include "base/fail.h"
#include "base/half.h"
#include "base/utf8.h"
#include "convert/cell_types.h"

namespace tegula::serve {

namespace {

[[noreturn]] void not_served(const Attribute& field, std::string_view why) {
  fail(ErrorKind::unsupported, "'{}' of type {} is not served: {}", field.name, display_name(field.type), why);
}

// xarray refuses to open data sets with other units, and so these are named in another attribute.
std::string_view cf_unit(const Datatype& type) {
  if (type.unit_count != 1) return {};
  switch (type.unit) {
    case TimeUnit::day:
      return "days";
    case TimeUnit::hour:
      return "hours";
    case TimeUnit::minute:
      return "minutes";
    case TimeUnit::second:
      return "seconds";
    case TimeUnit::ms:
      return "milliseconds";
    case TimeUnit::us:
      return "microseconds";
    case TimeUnit::ns:
      return "nanoseconds";
    default:
      return {};
  }
}

Json date_attributes(const Datatype& type) {
  Json out = Json::object();
  const std::string_view unit = cf_unit(type);
  if (unit.empty()) {
    out["numpy_dtype"] = numpy_string(type).substr(1);
  } else if (type.id == TypeId::timedelta) {
    out["units"] = unit;
    out["dtype"] = "timedelta64[ns]";
  } else {
    out["units"] = std::string(unit) + " since 1970-01-01";
    out["calendar"] = "proleptic_gregorian";
  }
  return out;
}

// Text and bytes of a fixed number of TileDB's units, which are one item of numpy.
Datatype fixed_item(const Attribute& field) {
  const auto size = static_cast<std::uint32_t>(field.cell_size());
  switch (field.type.id) {
    case TypeId::character:
    case TypeId::ascii:
    case TypeId::utf8:
    case TypeId::wkt:
      return {TypeId::bytes, size};
    case TypeId::utf32:
    case TypeId::ucs4:
      return {TypeId::unicode, size};
    case TypeId::blob:
    case TypeId::wkb:
      return {TypeId::raw, size};
    default:
      not_served(field, "zarr has no such type");
  }
}

// One value of the fill when all values of the cell have it.
bool one_fill(Attribute& served, const Attribute& field) {
  const std::size_t item = served.type.full_size();
  served.fill.assign(item, std::byte{0});
  if (field.fill.size() < item || item == 0) return field.fill_defined;
  std::memcpy(served.fill.data(), field.fill.data(), item);
  for (std::size_t at = item; at + item <= field.fill.size(); at += item)
    if (std::memcmp(field.fill.data() + at, served.fill.data(), item) != 0) return false;
  return true;
}

bool is_utf8(ByteView text) {
  const bool ascii = std::ranges::all_of(text, [](std::byte b) { return b < std::byte{0x80}; });
  return ascii || decode_utf8(text_of(text)).has_value();
}

// Not-a-number, or the fill value for types that have none.
Bytes null_cell(const Attribute& field) {
  Bytes cell = field.fill;
  cell.resize(field.cell_size(), std::byte{0});
  const std::size_t size = field.type.size;
  for (std::size_t at = 0; field.type.is_float() && at + size <= cell.size(); at += size) {
    std::byte* to = cell.data() + at;
    if (size == 8)
      store_le(to, std::numeric_limits<double>::quiet_NaN());
    else if (size == 4)
      store_le(to, std::numeric_limits<float>::quiet_NaN());
    else
      store_le(to, std::uint16_t{0x7E00});
    if (field.type.big_endian) std::reverse(to, to + size);
  }
  return cell;
}

void check_text(Column& column, const Attribute& field) {
  const bool odd_fill = !is_utf8(field.fill);
  Column out;
  for (std::size_t i = 0; i < column.cells(); ++i) {
    const ByteView cell = column.cell(i);
    if (is_utf8(cell)) continue;
    if (!odd_fill || !std::ranges::equal(cell, field.fill))
      fail(ErrorKind::unsupported, "cell {} of '{}' is no UTF-8, which clients of zarr expect of text", i, field.name);
  }
  if (!odd_fill) return;
  Bytes data;
  Buffer<std::uint64_t> offsets{0};
  for (std::size_t i = 0; i < column.cells(); ++i) {
    const ByteView cell = column.cell(i);
    if (!std::ranges::equal(cell, field.fill)) data.insert(data.end(), cell.begin(), cell.end());
    offsets.push_back(data.size());
  }
  column.data = std::move(data);
  column.offsets = std::move(offsets);
}

void empty_nulls(Column& column) {
  Bytes data;
  Buffer<std::uint64_t> offsets{0};
  for (std::size_t i = 0; i < column.cells(); ++i) {
    const ByteView cell = column.cell(i);
    if (column.valid(i)) data.insert(data.end(), cell.begin(), cell.end());
    offsets.push_back(data.size());
  }
  column.data = std::move(data);
  column.offsets = std::move(offsets);
}

}  // namespace

ServedType served_type(const Attribute& field) {
  ServedType out;
  Attribute& served = out.attribute;
  served.type = field.type;
  served.type.big_endian = false;
  served.fill_valid = true;
  const bool var = field.values_per_cell == kVar;
  const TypeId id = field.type.id;
  if (var) {
    const bool text = id == TypeId::character || id == TypeId::ascii || id == TypeId::utf8 || id == TypeId::wkt;
    if (!text && id != TypeId::blob && id != TypeId::wkb)
      not_served(field, "zarr has no cells with any number of values");
    served.type = Datatype(text ? TypeId::utf8 : TypeId::blob);
    served.values_per_cell = kVar;
    if (text && is_utf8(field.fill)) served.fill = field.fill;
    out.fill_spelled = served.fill.size() == field.fill.size();
    return out;
  }
  if (id == TypeId::object || id == TypeId::any) not_served(field, "its cells are no values");
  const bool units = id >= TypeId::character && id <= TypeId::wkt;
  if (units) {
    served.type = fixed_item(field);
  } else {
    if (field.type.is_date()) {
      served.type = Datatype(TypeId::int64);
      out.attributes = date_attributes(field.type);
    }
    out.inner = field.cell_shape;
    if (out.inner.empty() && field.values_per_cell != 1) out.inner = {field.values_per_cell};
  }
  Column fill;
  fill.type = field.type;
  fill.values_per_cell = field.values_per_cell;
  Attribute little = field;
  little.type.big_endian = false;
  if (field.type.big_endian && !field.fill.empty()) {
    fill.data = field.fill;
    as_type(fill, little);
    little.fill = std::move(fill.data);
  }
  if (field.nullable && !field.fill_valid) little.fill = null_cell(little);
  out.fill_spelled = one_fill(served, little);
  return out;
}

void to_served(Column& column, const Attribute& field, const ServedType& type) {
  if (column.nullable) {
    if (column.var()) {
      empty_nulls(column);
    } else {
      const Bytes null = null_cell(field);
      for (std::size_t i = 0; i < column.validity.size() && !null.empty(); ++i)
        if (!column.valid(i)) std::memcpy(column.data.data() + i * null.size(), null.data(), null.size());
    }
    column.nullable = false;
    column.validity.clear();
  }
  if (column.type.big_endian) {
    Attribute little = field;
    little.type.big_endian = false;
    as_type(column, little);
  }
  if (column.var() && type.attribute.type.is_text()) check_text(column, field);
  column.type = type.attribute.type;
  column.values_per_cell = type.attribute.values_per_cell;
}

Attribute attribute_of(const Dimension& dimension) {
  Attribute out;
  out.name = dimension.name;
  out.type = dimension.type;
  out.values_per_cell = dimension.values_per_cell;
  out.fill.assign(out.cell_size(), std::byte{0});
  return out;
}

}  // namespace tegula::serve
