#include "query/request/value_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>

#include "base/endian.h"
#include "base/fail.h"
#include "base/half.h"
#include "base/utf8.h"
#include "query/request/iso_dates.h"

namespace tegula {

namespace {

template <class T>
T number(const std::byte* from, bool big) {
  return big ? load_be<T>(from) : load_le<T>(from);
}

enum class Form : unsigned char { json, plain, exact };

template <class T>
void append_real(std::string& out, T value, Form form) {
  if (!std::isfinite(value)) {
    const char* name = std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
    if (form == Form::json) out += '"';
    out += name;
    if (form == Form::json) out += '"';
    return;
  }
  const std::size_t start = out.size();
  fmt::format_to(std::back_inserter(out), "{}", value);
  if (out.find_first_of(".e", start) == std::string::npos) out += ".0";
}

template <class T>
void append_integer(std::string& out, T value) {
  const fmt::format_int text(value);
  out.append(text.data(), text.size());
}

double real(const Datatype& type, const std::byte* from) {
  switch (type.size) {
    case 2:
      return half_to_float(number<std::uint16_t>(from, type.big_endian));
    case 4:
      return number<float>(from, type.big_endian);
    default:
      return number<double>(from, type.big_endian);
  }
}

std::string_view trimmed(std::string_view text) {
  const std::size_t end = text.find_last_not_of('\0');
  return end == std::string_view::npos ? std::string_view{} : text.substr(0, end + 1);
}

std::string unicode_text(const Datatype& type, const std::byte* value) {
  std::size_t count = type.size / 4;
  const auto at = [&](std::size_t i) { return number<std::uint32_t>(value + 4 * i, type.big_endian); };
  while (count > 0 && at(count - 1) == 0) --count;
  std::string text;
  for (std::size_t i = 0; i < count; ++i) append_utf8(text, at(i));
  return text;
}

void append_hex(std::string& out, ByteView bytes, Form form) {
  out += form == Form::json ? "{\"hex\":\"" : "0x";
  out += hex_of(bytes);
  if (form == Form::json) out += "\"}";
}

void append_text(std::string& out, std::string_view text, Form form) {
  if (printable_utf8(text) || (form == Form::exact && decode_utf8(text)))
    form == Form::json ? append_json_string(out, text) : void(out += text);
  else if (form == Form::plain && decode_utf8(text))
    out += visible(text);
  else
    append_hex(out, bytes_of(text), form);
}

void append_value(std::string& out, const Datatype& type, const std::byte* value, Dialect dialect, Form form);

void append_date(std::string& out, const Datatype& type, std::int64_t ticks, Dialect dialect, Form form) {
  if (dialect != Dialect::libtiledb && ticks == std::numeric_limits<std::int64_t>::min())
    out += form == Form::json ? "\"NaT\"" : "NaT";
  else if (form == Form::json)
    append_integer(out, ticks);
  else
    out += date_text(type, ticks);
}

void append_record(std::string& out, const Datatype& type, const std::byte* value, Dialect dialect, Form form) {
  out += '{';
  bool first = true;
  for (const Field& field : *type.fields) {
    if (!first) out += form == Form::json ? "," : ", ";
    first = false;
    if (form == Form::json)
      append_json_string(out, field.name);
    else
      out += field.name;
    out += form == Form::json ? ":" : ": ";
    append_value(out, field.type, value + field.offset, dialect, form);
  }
  out += '}';
}

// The elements of a sub-array, one list per axis.
void append_subarray(std::string& out, const Datatype& type, std::size_t axis, const std::byte*& value, Dialect dialect,
                     Form form) {
  Datatype element = type;
  element.shape.clear();
  if (axis == type.shape.size()) {
    append_value(out, element, value, dialect, form);
    value += type.size;
    return;
  }
  out += '[';
  for (std::uint32_t i = 0; i < type.shape[axis]; ++i) {
    if (i > 0) out += form == Form::json ? "," : ", ";
    append_subarray(out, type, axis + 1, value, dialect, form);
  }
  out += ']';
}

void append_value(std::string& out, const Datatype& type, const std::byte* value, Dialect dialect, Form form) {
  if (!type.shape.empty()) return append_subarray(out, type, 0, value, dialect, form);
  const bool big = type.big_endian;
  switch (type.id) {
    case TypeId::boolean:
      if (dialect == Dialect::libtiledb)
        append_integer(out, std::to_integer<unsigned>(*value));
      else
        out += *value != std::byte{0} ? "true" : "false";
      return;
    case TypeId::int8:
      return append_integer(out, static_cast<int>(std::to_integer<std::int8_t>(*value)));
    case TypeId::int16:
      return append_integer(out, number<std::int16_t>(value, big));
    case TypeId::int32:
      return append_integer(out, number<std::int32_t>(value, big));
    case TypeId::int64:
      return append_integer(out, number<std::int64_t>(value, big));
    case TypeId::uint8:
      return append_integer(out, std::to_integer<unsigned>(*value));
    case TypeId::uint16:
      return append_integer(out, number<std::uint16_t>(value, big));
    case TypeId::uint32:
      return append_integer(out, number<std::uint32_t>(value, big));
    case TypeId::uint64:
      return append_integer(out, number<std::uint64_t>(value, big));
    case TypeId::float32:
      if (form != Form::json) return append_real(out, number<float>(value, big), form);
      return append_real(out, real(type, value), form);
    case TypeId::float16:
    case TypeId::float64:
      return append_real(out, real(type, value), form);
    case TypeId::complex64:
    case TypeId::complex128: {
      Datatype part(type.id == TypeId::complex64 ? TypeId::float32 : TypeId::float64);
      part.big_endian = big;
      const double re = real(part, value), im = real(part, value + part.size);
      if (form != Form::json) {
        append_real(out, re, form);
        if (!std::signbit(im)) out += '+';
        append_real(out, im, form);
        out += 'j';
        return;
      }
      out += "{\"re\":";
      append_real(out, re, form);
      out += ",\"im\":";
      append_real(out, im, form);
      out += '}';
      return;
    }
    case TypeId::datetime:
    case TypeId::timedelta:
      return append_date(out, type, number<std::int64_t>(value, big), dialect, form);
    case TypeId::bytes:
      return append_text(out, trimmed(text_of({value, type.size})), form);
    case TypeId::unicode: {
      const std::string text = unicode_text(type, value);
      if (form == Form::json)
        append_json_string(out, text);
      else
        out += text;
      return;
    }
    case TypeId::record:
      return append_record(out, type, value, dialect, form);
    case TypeId::object:
      out += "null";
      return;
    case TypeId::character:
    case TypeId::ascii:
    case TypeId::utf8:
    case TypeId::wkt:
      return append_text(out, text_of({value, type.size}), form);
    default:
      return append_hex(out, {value, type.size}, form);
  }
}

// Types whose values are code units or bytes: a cell is one text, however many values it has.
bool one_text(TypeId id) { return id >= TypeId::character && id <= TypeId::wkt; }
bool readable(TypeId id) {
  return id == TypeId::character || id == TypeId::ascii || id == TypeId::utf8 || id == TypeId::wkt;
}

void append_cell(std::string& out, const Column& column, std::size_t cell, Dialect dialect, Form form,
                 std::string_view null) {
  if (!column.valid(cell)) {
    out += null;
    return;
  }
  const ByteView bytes = column.cell(cell);
  if (one_text(column.type.id)) {
    if (readable(column.type.id))
      // Text of a fixed size ends where its padding begins.
      append_text(out, form == Form::json || column.var() ? text_of(bytes) : trimmed(text_of(bytes)), form);
    else
      append_hex(out, bytes, form);
    return;
  }
  if (column.values_per_cell == 1) return append_value(out, column.type, bytes.data(), dialect, form);
  const std::uint64_t size = column.type.full_size();
  out += '[';
  for (std::uint64_t at = 0; size > 0 && at + size <= bytes.size(); at += size) {
    if (at > 0) out += form == Form::json ? "," : ", ";
    append_value(out, column.type, bytes.data() + at, dialect, form);
  }
  out += ']';
}

}  // namespace

void append_json_cell(std::string& out, const Column& column, std::size_t cell, Dialect dialect) {
  if (dialect == Dialect::objects && column.var()) {
    out += text_of(column.cell(cell));
    return;
  }
  append_cell(out, column, cell, dialect, Form::json, "null");
}

void append_json_value(std::string& out, const Datatype& type, const std::byte* value, Dialect dialect) {
  append_value(out, type, value, dialect, Form::json);
}

void append_json_string(std::string& out, std::string_view utf8) {
  out += '"';
  for (const char c : utf8) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20)
          fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
        else
          out += c;
    }
  }
  out += '"';
}

void append_json_key(std::string& out, std::string_view name) {
  if (decode_utf8(name)) return append_json_string(out, name);
  std::string ascii;
  append_json_string(ascii, name);
  for (const char c : ascii) {
    if (static_cast<unsigned char>(c) < 0x80)
      out += c;
    else
      fmt::format_to(std::back_inserter(out), "\\udc{:02x}", static_cast<unsigned char>(c));
  }
}

void append_json_bytes(std::string& out, ByteView bytes) { append_text(out, text_of(bytes), Form::json); }

void append_plain_cell(std::string& out, const Column& column, std::size_t cell, Dialect dialect,
                       std::string_view null) {
  append_cell(out, column, cell, dialect, Form::plain, null);
}

void append_exact_cell(std::string& out, const Column& column, std::size_t cell, Dialect dialect,
                       std::string_view null) {
  append_cell(out, column, cell, dialect, Form::exact, null);
}

std::string plain_value(const Datatype& type, const Value& value) {
  std::string out;
  if (const auto* i = std::get_if<std::int64_t>(&value))
    out = type.is_date() ? date_text(type, *i) : fmt::format("{}", *i);
  else if (const auto* u = std::get_if<std::uint64_t>(&value))
    out = fmt::format("{}", *u);
  else if (const auto* d = std::get_if<double>(&value))
    append_real(out, *d, Form::plain);
  else if (const auto* s = std::get_if<std::string>(&value))
    append_text(out, *s, Form::json);
  return out;
}

std::string visible(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
    if (control)
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out;
}

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

bool printable_utf8(std::string_view text) {
  const auto control = [](std::uint32_t c) { return c == 0x7F || (c < 0x20 && c != '\t' && c != '\n' && c != '\r'); };
  const auto points = decode_utf8(text);
  return points && std::none_of(points->begin(), points->end(), control);
}

std::string hex_of(ByteView bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out(bytes.size() * 2, '0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    out[2 * i] = kDigits[std::to_integer<unsigned>(bytes[i]) >> 4];
    out[2 * i + 1] = kDigits[std::to_integer<unsigned>(bytes[i]) & 15];
  }
  return out;
}

Bytes bytes_of_hex(std::string_view hex, std::string_view what) {
  const auto digit = [](char c) -> int {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  Bytes out(hex.size() / 2);
  bool good = hex.size() % 2 == 0;
  for (std::size_t i = 0; good && i < out.size(); ++i) {
    const int high = digit(hex[2 * i]), low = digit(hex[2 * i + 1]);
    good = high >= 0 && low >= 0;
    out[i] = static_cast<std::byte>((high & 15) << 4 | (low & 15));
  }
  if (!good) fail(ErrorKind::invalid_argument, "{} is not written in hexadecimal digits, two per byte", what);
  return out;
}

}  // namespace tegula
