#include "query/request/cell_input.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "base/endian.h"
#include "base/fail.h"
#include "base/half.h"
#include "base/utf8.h"
#include "query/language/dates.h"
#include "query/language/literal.h"
#include "query/request/value_text.h"

namespace tegula {

namespace {

[[noreturn]] void unfit(const Datatype& type, const std::string& value) {
  fail(ErrorKind::invalid_argument, "{} does not fit {}", value.substr(0, 60), display_name(type));
}

void append_integer(Bytes& out, const Datatype& type, Int128 value, const std::string& text) {
  if (value < integer_min(type) || value > integer_max(type)) unfit(type, text);
  out.resize(out.size() + type.size);
  store_integer(type, value, out.data() + out.size() - type.size);
}

void append_real(Bytes& out, const Datatype& type, double value) {
  out.resize(out.size() + type.size);
  std::byte* to = out.data() + out.size() - type.size;
  const auto put = [&](auto x) { type.big_endian ? store_be(to, x) : store_le(to, x); };
  if (type.size == 2)
    put(half_from_double(value));
  else if (type.size == 4)
    put(static_cast<float>(value));
  else
    put(value);
}

double parse_real(const Datatype& type, const Json& value) {
  if (value.is_number()) return value.get<double>();
  const std::string text = value.is_string() ? value.get<std::string>() : "";
  if (text == "nan" || text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "inf" || text == "-inf") return text[0] == '-' ? -HUGE_VAL : HUGE_VAL;
  unfit(type, dump_json(value));
}

Int128 parse_ticks(const Datatype& type, const std::string& text) {
  if (text == "NaT") return std::numeric_limits<std::int64_t>::min();
  const auto ticks = type.id == TypeId::datetime ? parse_datetime(text, type) : parse_timedelta(text, type);
  if (!ticks || !ticks->exact) unfit(type, "'" + text + "'");
  return ticks->floor;
}

Int128 parse_integer(const Datatype& type, const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number_float() && value.get<double>() == std::floor(value.get<double>()) &&
      std::fabs(value.get<double>()) < 9.0e15)
    return static_cast<std::int64_t>(value.get<double>());
  if (type.is_date() && value.is_string()) return parse_ticks(type, value.get<std::string>());
  unfit(type, dump_json(value));
}

// Bytes of a text or {"hex"} value.
std::string parse_bytes(const Datatype& type, const Json& value) {
  if (value.is_object() && value.size() == 1 && value.contains("hex") && value["hex"].is_string()) {
    const Bytes bytes = bytes_of_hex(value["hex"].get<std::string>(), "a value");
    return std::string(text_of(bytes));
  }
  if (!value.is_string()) unfit(type, dump_json(value));
  return value.get<std::string>();
}

bool unit_type(TypeId id) { return id >= TypeId::character && id <= TypeId::wkt; }

void append_padded(Bytes& out, const Datatype& type, std::string_view bytes, std::size_t size) {
  if (bytes.size() > size)
    fail(ErrorKind::invalid_argument, "a text of {} bytes does not fit {}", bytes.size(), display_name(type));
  const ByteView view = bytes_of(bytes);
  out.insert(out.end(), view.begin(), view.end());
  out.insert(out.end(), size - bytes.size(), std::byte{0});
}

void append_unicode(Bytes& out, const Datatype& type, const std::string& text) {
  const auto points = decode_utf8(text);
  if (!points || points->size() * 4 > type.size) unfit(type, "'" + text + "'");
  const std::size_t start = out.size();
  for (const std::uint32_t point : *points) {
    out.resize(out.size() + 4);
    std::byte* to = out.data() + out.size() - 4;
    type.big_endian ? store_be(to, point) : store_le(to, point);
  }
  out.insert(out.end(), type.size - (out.size() - start), std::byte{0});
}

void append_null(Column& column) {
  if (!column.nullable) fail(ErrorKind::invalid_argument, "field '{}' takes no null", column.name);
  column.data.insert(column.data.end(), column.cell_size(), std::byte{0});
}

bool holds_text(const Datatype& type) {
  return unit_type(type.id) || type.id == TypeId::bytes || type.id == TypeId::unicode || type.id == TypeId::raw;
}

Json json_of_text(const Datatype& type, const std::string& text) {
  if (holds_text(type)) return text;
  if (type.is_date()) {
    std::int64_t ticks = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ticks);
    if (error == std::errc{} && end == text.data() + text.size()) return ticks;
    return text;
  }
  if (text == "true" || text == "True") return true;
  if (text == "false" || text == "False") return false;
  if (type.is_float() && (text.find_first_of("nN") != std::string::npos)) return text;
  try {
    return parse_json(bytes_of(text), "a value");
  } catch (const Error&) {
    unfit(type, "'" + text + "'");
  }
}

}  // namespace

void append_value(Bytes& out, const Datatype& type, const Json& value) {
  if (type.is_integer() || type.is_date())
    return append_integer(out, type, parse_integer(type, value), dump_json(value));
  if (type.is_float()) return append_real(out, type, parse_real(type, value));
  switch (type.id) {
    case TypeId::boolean: {
      const Int128 flag = parse_integer(type, value);
      if (flag != 0 && flag != 1) unfit(type, dump_json(value));
      out.push_back(static_cast<std::byte>(flag));
      return;
    }
    case TypeId::complex64:
    case TypeId::complex128: {
      Datatype part(type.id == TypeId::complex64 ? TypeId::float32 : TypeId::float64);
      part.big_endian = type.big_endian;
      const bool pair = value.is_object() && value.contains("re") && value.contains("im");
      append_real(out, part, parse_real(type, pair ? value["re"] : value));
      return append_real(out, part, pair ? parse_real(type, value["im"]) : 0.0);
    }
    case TypeId::bytes:
    case TypeId::raw:
      return append_padded(out, type, parse_bytes(type, value), type.size);
    case TypeId::unicode:
      return append_unicode(out, type, parse_bytes(type, value));
    default:
      fail(ErrorKind::unsupported, "values of type {} cannot be given as text", display_name(type));
  }
}

void append_cell(Column& column, const Json& cell) {
  if (column.nullable) column.validity.push_back(cell.is_null() ? std::byte{0} : std::byte{1});
  if (cell.is_null()) {
    append_null(column);
  } else if (unit_type(column.type.id)) {
    const std::string text = parse_bytes(column.type, cell);
    append_padded(column.data, column.type, text, column.var() ? text.size() : column.cell_size());
  } else if (column.values_per_cell == 1) {
    append_value(column.data, column.type, cell);
  } else {
    if (!cell.is_array() || (!column.var() && cell.size() != column.values_per_cell))
      fail(ErrorKind::invalid_argument, "a cell of '{}' is a list of {} values", column.name,
           column.var() ? "any number of" : std::to_string(column.values_per_cell));
    for (const Json& value : cell) append_value(column.data, column.type, value);
  }
  if (column.var()) {
    if (column.offsets.empty()) column.offsets.push_back(0);
    column.offsets.push_back(column.data.size());
  }
}

void append_cell_text(Column& column, const std::string& text, bool quoted) {
  if (text.empty() && column.nullable && !(quoted && holds_text(column.type))) return append_cell(column, nullptr);
  const bool list = column.values_per_cell != 1 && !unit_type(column.type.id);
  append_cell(column, list ? parse_json(bytes_of(text), "a list") : json_of_text(column.type, text));
}

}  // namespace tegula
