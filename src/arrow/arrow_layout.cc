#include "arrow/arrow_layout.h"

#include <utility>

#include "arrow/arrow_codes.h"
#include "base/fail.h"

namespace tegula {

namespace {

using enum arrow::Type;

[[noreturn]] void refuse(const std::string& field, std::string_view what) {
  fail(ErrorKind::unsupported, "field '{}': {}", field, what);
}

Datatype integer_type(const FlatTable& type, const std::string& name) {
  constexpr TypeId kSigned[] = {TypeId::int8, TypeId::int16, TypeId::int32, TypeId::int64};
  constexpr TypeId kUnsigned[] = {TypeId::uint8, TypeId::uint16, TypeId::uint32, TypeId::uint64};
  const auto bits = type.number<std::int32_t>(0);
  const std::size_t i = bits == 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : bits == 64 ? 3 : 4;
  if (i == 4) refuse(name, fmt::format("integers of {} bits", bits));
  return type.number<std::uint8_t>(1) ? kSigned[i] : kUnsigned[i];
}

bool is_utc(std::string_view zone) {
  return zone == "UTC" || zone == "Etc/UTC" || zone == "+00:00" || zone == "Z" || zone == "GMT";
}

std::string name_of(std::uint8_t kind) {
  constexpr std::pair<std::uint8_t, const char*> kNames[] = {
      {1, "null"},         {4, "binary"},        {5, "utf8"},        {7, "decimal"},     {9, "time"},
      {11, "interval"},    {12, "list"},         {13, "struct"},     {14, "union"},      {16, "fixed-size list"},
      {17, "map"},         {19, "large binary"}, {20, "large utf8"}, {21, "large list"}, {22, "run-end encoding"},
      {23, "binary view"}, {24, "utf8 view"}};
  for (const auto& [number, text] : kNames)
    if (number == kind) return text;
  return fmt::format("type {}", kind);
}

// The type of single values: numbers, booleans, dates, bytes of a fixed size.
Datatype single_type(const FlatTable& field, std::uint8_t kind, const std::string& name) {
  const std::optional<FlatTable> type = field.table(3);
  if (!type) refuse(name, "its type is not described");
  constexpr TypeId kReal[] = {TypeId::float16, TypeId::float32, TypeId::float64};
  switch (kind) {
    case kInt:
      return integer_type(*type, name);
    case kFloat: {
      const auto precision = type->number<std::int16_t>(0);
      if (precision < 0 || precision > 2) refuse(name, fmt::format("floats of precision {}", precision));
      return kReal[precision];
    }
    case kBool:
      return TypeId::boolean;
    case kTimestamp:
    case kDuration: {
      const auto unit = type->number<std::int16_t>(0, kind == kDuration ? 1 : 0);
      if (unit < 0 || unit > 3) refuse(name, fmt::format("times of unit {}", unit));
      if (const std::string zone = kind == kTimestamp ? type->text(1) : ""; !zone.empty() && !is_utc(zone))
        refuse(name, fmt::format("its times have the zone '{}', which arrays do not keep; convert them to UTC", zone));
      Datatype out(kind == kTimestamp ? TypeId::datetime : TypeId::timedelta);
      out.unit = static_cast<TimeUnit>(static_cast<int>(TimeUnit::second) + unit);
      return out;
    }
    case kDate: {
      const bool days = type->number<std::int16_t>(0, 1) == 0;
      Datatype out(TypeId::datetime);
      out.unit = days ? TimeUnit::day : TimeUnit::ms;
      return out;
    }
    case kFixedBinary: {
      const auto width = type->number<std::int32_t>(0);
      if (width <= 0 || width > 1 << 20) refuse(name, fmt::format("binary values of {} bytes", width));
      return Datatype(TypeId::raw, static_cast<std::uint32_t>(width));
    }
    default:
      refuse(name, fmt::format("Arrow's {} is not read; numbers, booleans, dates, timestamps, durations, text, binary "
                               "and lists of numbers are",
                               name_of(kind)));
  }
}

ArrowLayout::Dictionary dictionary_of(const FlatTable& encoding, const std::string& name) {
  ArrowLayout::Dictionary out;
  out.id = encoding.number<std::int64_t>(0);
  const std::optional<FlatTable> index = encoding.table(1);
  out.index = index ? integer_type(*index, name) : Datatype(TypeId::int32);
  return out;
}

ArrowLayout layout_of(const FlatTable& field, const std::string& name) {
  ArrowLayout out;
  out.like.name = name;
  out.like.nullable = field.number<std::uint8_t>(1) != 0;
  const auto kind = field.number<std::uint8_t>(2);
  if (const std::optional<FlatTable> encoding = field.table(4)) out.dictionary = dictionary_of(*encoding, name);
  out.wide = kind == kLargeBinary || kind == kLargeUtf8 || kind == kLargeList;
  if (kind == kUtf8 || kind == kLargeUtf8 || kind == kBinary || kind == kLargeBinary) {
    out.like.type = kind == kUtf8 || kind == kLargeUtf8 ? TypeId::utf8 : TypeId::blob;
    out.like.values_per_cell = kVar;
  } else if (kind == kList || kind == kLargeList || kind == kFixedList) {
    const FlatTable::List children = field.list(5, 4);
    if (children.count != 1) refuse(name, fmt::format("a list of {} children", children.count));
    const FlatTable child = field.item(children, 0);
    if (child.has(4)) refuse(name, "dictionaries in lists are not read; write the values themselves");
    if (child.number<std::uint8_t>(2) == kDate) refuse(name, "lists of dates are not read");
    out.like.type = single_type(child, child.number<std::uint8_t>(2), name);
    out.like.values_per_cell = kVar;
    if (kind == kFixedList) {
      const std::optional<FlatTable> type = field.table(3);
      const std::int32_t size = type ? type->number<std::int32_t>(0) : 0;
      if (size <= 0 || size > 1 << 20) refuse(name, fmt::format("lists of {} values", size));
      out.like.values_per_cell = static_cast<std::uint32_t>(size);
    }
    out.list = true;
  } else {
    out.like.type = single_type(field, kind, name);
    out.days = kind == kDate && out.like.type.unit == TimeUnit::day;
  }
  if (out.list && out.dictionary) refuse(name, "dictionaries of lists are not read; write the values themselves");
  out.bits = out.like.type.id == TypeId::boolean;
  if (out.like.var()) out.like.offsets.push_back(0);
  return out;
}

}  // namespace

std::vector<ArrowLayout> arrow_layouts(const FlatTable& schema, std::uint64_t metadata_bytes) {
  if (schema.number<std::int16_t>(0) != 0) fail(ErrorKind::unsupported, "the file is big-endian");
  const FlatTable::List fields = schema.list(1, 4);
  std::vector<ArrowLayout> out;
  std::uint64_t names = 0;
  for (std::uint64_t i = 0; i < fields.count; ++i) {
    const FlatTable field = schema.item(fields, i);
    const std::string name = field.text(0);
    // Damaged references may all lead to the same long text.
    if ((names += name.size()) > metadata_bytes)
      fail(ErrorKind::corrupt, "the names of the fields are longer than the schema that holds them");
    out.push_back(layout_of(field, name));
  }
  return out;
}

}  // namespace tegula
