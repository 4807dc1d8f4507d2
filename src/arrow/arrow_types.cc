#include "arrow/arrow_types.h"

#include <fmt/format.h>

namespace tegula::arrow {

namespace {

// Formats of the numeric types by TypeId, from boolean to float64.
constexpr std::string_view kNumbers[] = {"b", "c", "s", "i", "l", "C", "S", "I", "L", "e", "f", "g"};

bool utf8_type(TypeId id) {
  return id == TypeId::ascii || id == TypeId::utf8 || id == TypeId::wkt || id == TypeId::unicode;
}
bool unit_type(TypeId id) { return id >= TypeId::character && id <= TypeId::wkt; }

ArrowType date_type(const Datatype& type) {
  const bool time = type.id == TypeId::datetime;
  const bool exact = type.unit_count == 1;
  if (exact && type.unit >= TimeUnit::second && type.unit <= TimeUnit::ns) {
    const char unit = "smun"[static_cast<int>(type.unit) - static_cast<int>(TimeUnit::second)];
    return {Layout::values, time ? fmt::format("ts{}:", unit) : fmt::format("tD{}", unit)};
  }
  const bool days = type.unit == TimeUnit::year || type.unit == TimeUnit::month || type.unit == TimeUnit::day;
  if (exact && time && days) return {Layout::days, "tdD"};
  if (exact && ((type.unit >= TimeUnit::week && type.unit <= TimeUnit::minute)))
    return {Layout::seconds, time ? "tss:" : "tDs"};
  return {Layout::values, "l"};
}

}  // namespace

ArrowType value_type(const Datatype& type) {
  if (type.id == TypeId::boolean) return {Layout::bits, "b"};
  if (type.is_date()) return date_type(type);
  if (type.id <= TypeId::float64 && type.shape.empty())
    return {Layout::values, std::string(kNumbers[static_cast<std::size_t>(type.id)])};
  return {Layout::values, fmt::format("w:{}", type.full_size())};
}

const Enumeration* enumeration_of(const Column& column, const Schema& schema) {
  const Attribute* attribute = schema.attribute(column.name);
  if (!attribute || attribute->enumeration.empty() || column.values_per_cell != 1 || !column.type.is_integer())
    return nullptr;
  return schema.enumeration(attribute->enumeration);
}

ArrowType arrow_type(const Column& column, const Schema& schema) {
  if (enumeration_of(column, schema)) return {Layout::dictionary, value_type(column.type).format};
  const TypeId id = column.type.id;
  // Several texts of numpy's types in a cell are a list: joined, nobody could tell where each ends.
  const bool one_text = (id == TypeId::bytes || id == TypeId::unicode) && column.values_per_cell == 1;
  if (unit_type(id) || one_text) return utf8_type(id) ? ArrowType{Layout::text, "U"} : ArrowType{Layout::binary, "Z"};
  if (column.values_per_cell == 1) return value_type(column.type);
  if (column.var()) return {Layout::list, "+L"};
  return {Layout::fixed_list, fmt::format("+w:{}", column.values_per_cell)};
}

Column values_of(const Enumeration& enumeration) {
  Column out;
  out.type = enumeration.type;
  out.values_per_cell = enumeration.values_per_cell;
  out.data = enumeration.data;
  if (out.var()) {
    out.offsets.assign(enumeration.offsets.begin(), enumeration.offsets.end());
    out.offsets.push_back(enumeration.data.size());
  }
  return out;
}

}  // namespace tegula::arrow
