#include "query/language/literal.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <unordered_map>

#include "base/endian.h"
#include "base/fail.h"
#include "base/half.h"
#include "query/language/dates.h"

namespace tegula {
namespace {

bool signed_integers(const Datatype& type) { return type.is_date() || (type.is_integer() && type.is_signed()); }

// A test with the same answer for every cell.
EncodedTest decided(bool answer) { return {answer ? CompareOp::always_true : CompareOp::always_false, {}, {}}; }

// Every value of the type lies below (or above) the literal.
EncodedTest all_below(CompareOp op) {
  return decided(op == CompareOp::lt || op == CompareOp::le || op == CompareOp::ne);
}
EncodedTest all_above(CompareOp op) {
  return decided(op == CompareOp::gt || op == CompareOp::ge || op == CompareOp::ne);
}

EncodedTest encode_ticks(const FieldInfo& field, CompareOp op, Ticks ticks) {
  if (ticks.floor > integer_max(field.type)) return all_below(op);
  if (ticks.floor < integer_min(field.type)) return all_above(op);
  if (!ticks.exact) {
    if (op == CompareOp::eq || op == CompareOp::ne) return decided(op == CompareOp::ne);
    op = op == CompareOp::lt || op == CompareOp::le ? CompareOp::le : CompareOp::gt;
  }
  EncodedTest test{op, Bytes(field.type.size), {}};
  store_integer(field.type, ticks.floor, test.value.data());
  return test;
}

EncodedTest encode_integer(const FieldInfo& field, CompareOp op, const Value& value) {
  if (const auto* i = std::get_if<std::int64_t>(&value)) return encode_ticks(field, op, {*i, true});
  if (const auto* u = std::get_if<std::uint64_t>(&value)) return encode_ticks(field, op, {Int128{*u}, true});
  const double real = std::get<double>(value);
  if (std::isnan(real)) return decided(op == CompareOp::ne);
  if (real >= 0x1p64) return all_below(op);
  if (real < -0x1p63) return all_above(op);
  const double floor = std::floor(real);
  return encode_ticks(field, op, {static_cast<Int128>(floor), floor == real});
}

EncodedTest encode_real(const FieldInfo& field, CompareOp op, const Value& value) {
  const double real = std::visit(
      [](const auto& v) -> double {
        if constexpr (std::is_arithmetic_v<std::decay_t<decltype(v)>>) return static_cast<double>(v);
        return 0;
      },
      value);
  EncodedTest test{op, Bytes(field.type.size), {}};
  const auto put = [&](auto v) {
    field.type.big_endian ? store_be(test.value.data(), v) : store_le(test.value.data(), v);
  };
  double rounded = real;
  if (field.type.id == TypeId::float16) {
    const std::uint16_t half = half_from_double(real);
    rounded = half_to_float(half);
    put(half);
  } else if (field.type.id == TypeId::float32) {
    rounded = std::fabs(real) >= 0x1.ffffffp127 && std::isfinite(real) ? std::copysign(INFINITY, real)
                                                                       : static_cast<double>(static_cast<float>(real));
    put(static_cast<float>(rounded));
  } else {
    put(real);
  }
  // A finite literal beyond the type lies between the largest value and infinity.
  if (std::isinf(rounded) && std::isfinite(real)) {
    if (op == CompareOp::eq || op == CompareOp::ne) return decided(op == CompareOp::ne);
    const bool less = op == CompareOp::lt || op == CompareOp::le;
    test.op = rounded > 0 ? (less ? CompareOp::lt : CompareOp::ge) : (less ? CompareOp::le : CompareOp::gt);
  }
  return test;
}

// Conditions are UTF-8. A byte that is not becomes a code point of its own, so that any bytes can be written.
std::u32string code_points(std::string_view text) {
  std::u32string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80                   ? 1
                               : lead >= 0xF0 && lead < 0xF8 ? 4
                               : lead >= 0xE0                ? 3
                               : lead >= 0xC0                ? 2
                                                             : 1;
    char32_t point = length == 1 ? lead : lead & (0x7Fu >> length);
    bool whole = i + length <= text.size() && lead < 0xF8;
    for (std::size_t k = 1; whole && k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      whole = (next & 0xC0) == 0x80;
      point = (point << 6) | (next & 0x3F);
    }
    out.push_back(whole ? point : lead);
    i += whole ? length : 1;
  }
  return out;
}

Bytes encode_units(std::string_view text, std::uint32_t unit_size, bool big_endian) {
  Bytes out;
  const auto put = [&](auto unit) {
    const std::size_t at = out.size();
    out.resize(at + sizeof(unit));
    big_endian ? store_be(out.data() + at, unit) : store_le(out.data() + at, unit);
  };
  for (const char32_t point : code_points(text)) {
    if (unit_size == 4) {
      put(static_cast<std::uint32_t>(point));
    } else if (point >= 0x10000) {
      put(static_cast<std::uint16_t>(0xD800 + ((point - 0x10000) >> 10)));
      put(static_cast<std::uint16_t>(0xDC00 + ((point - 0x10000) & 0x3FF)));
    } else {
      put(static_cast<std::uint16_t>(point));
    }
  }
  return out;
}

Bytes text_bytes(const FieldInfo& field, const Literal& literal) {
  const std::string& text = std::get<std::string>(literal.value);
  if (literal.text_kind == TextKind::text) {
    switch (field.type.id) {
      case TypeId::unicode:
      case TypeId::utf32:
      case TypeId::ucs4:
        return encode_units(text, 4, field.type.big_endian);
      case TypeId::utf16:
      case TypeId::ucs2:
        return encode_units(text, 2, field.type.big_endian);
      default:
        break;
    }
  }
  return copy_of(bytes_of(text));
}

EncodedTest encode_text(const FieldInfo& field, CompareOp op, const Literal& literal) {
  Bytes bytes = text_bytes(field, literal);
  if (field.var()) return {op, std::move(bytes), {}};
  const std::size_t size = field.cell_size();
  const bool longer = bytes.size() > size && std::any_of(bytes.begin() + static_cast<std::ptrdiff_t>(size), bytes.end(),
                                                         [](std::byte b) { return b != std::byte{0}; });
  const std::size_t given = bytes.size();
  bytes.resize(size);
  if (given < size) std::memset(bytes.data() + given, 0, size - given);
  if (longer) {
    if (op == CompareOp::eq || op == CompareOp::ne) return decided(op == CompareOp::ne);
    op = op == CompareOp::lt || op == CompareOp::le ? CompareOp::le : CompareOp::gt;
  }
  return {op, std::move(bytes), {}};
}

EncodedTest encode_plain(const FieldInfo& field, CompareOp op, const Literal& literal) {
  const bool text = std::holds_alternative<std::string>(literal.value);
  switch (cell_class(field)) {
    case CellClass::integer:
      if (text && field.type.is_date()) {
        const std::string& written = std::get<std::string>(literal.value);
        const auto ticks = field.type.id == TypeId::datetime ? parse_datetime(written, field.type)
                                                             : parse_timedelta(written, field.type);
        if (!ticks)
          fail(ErrorKind::invalid_argument, "'{}' does not read as a value of {}; write {}, or an integer", written,
               describe(field), field.type.id == TypeId::datetime ? "'2020-01-02' or '2020-01-02T03:04:05'" : "'36h'");
        return encode_ticks(field, op, *ticks);
      }
      if (text) break;
      return encode_integer(field, op, literal.value);
    case CellClass::half:
    case CellClass::real32:
    case CellClass::real64:
      if (text) break;
      return encode_real(field, op, literal.value);
    case CellClass::fixed_text:
    case CellClass::fixed_unicode:
    case CellClass::var_text:
      if (!text) fail(ErrorKind::invalid_argument, "{} holds text; put the value in quotes", describe(field));
      return encode_text(field, op, literal);
    case CellClass::none:
      fail(ErrorKind::unsupported, "{} cannot be compared with a value", describe(field));
  }
  fail(ErrorKind::invalid_argument, "{} holds numbers; '{}' is text", describe(field),
       std::get<std::string>(literal.value));
}

FieldInfo values_of(const FieldInfo& field) {
  return {field.name, field.enumeration->type, field.enumeration->values_per_cell, false, false, nullptr};
}

// Index of a literal among the values, or count() when it is none of them.
std::size_t find_value(const FieldInfo& field, const Literal& literal) {
  const Enumeration& values = *field.enumeration;
  const EncodedTest test = encode_plain(values_of(field), CompareOp::eq, literal);
  if (test.op != CompareOp::eq) return values.count();
  for (std::size_t i = 0; i < values.count(); ++i)
    if (std::ranges::equal(values.value(i), test.value)) return i;
  return values.count();
}

EncodedTest encode_code(const FieldInfo& field, CompareOp op, std::size_t index) {
  if (index == field.enumeration->count() || Int128{index} > integer_max(field.type))
    return decided(op == CompareOp::ne);
  return encode_ticks(field, op, {Int128{index}, true});
}

}  // namespace

CellClass cell_class(const FieldInfo& field) {
  const Datatype& type = field.type;
  if (!type.shape.empty()) return CellClass::none;
  if (type.is_text() || type.id == TypeId::blob || type.id == TypeId::wkb || type.id == TypeId::any)
    return field.var() ? CellClass::var_text : CellClass::fixed_text;
  if (field.values_per_cell != 1) return CellClass::none;
  switch (type.id) {
    case TypeId::float16:
      return CellClass::half;
    case TypeId::float32:
      return CellClass::real32;
    case TypeId::float64:
      return CellClass::real64;
    case TypeId::bytes:
    case TypeId::raw:
      return type.size ? CellClass::fixed_text : CellClass::none;
    case TypeId::unicode:
      return type.size ? CellClass::fixed_unicode : CellClass::none;
    case TypeId::boolean:
      return CellClass::integer;
    default:
      return type.is_integer() || type.is_date() ? CellClass::integer : CellClass::none;
  }
}

std::string describe(const FieldInfo& field) {
  std::string cells;
  if (field.var() && !field.type.is_text()) cells = "[var]";
  if (!field.var() && field.values_per_cell != 1) cells = fmt::format("[{}]", field.values_per_cell);
  return fmt::format("field '{}' ({}{})", field.name, display_name(field.type), cells);
}

EncodedTest encode_test(const FieldInfo& field, CompareOp op, const Literal& literal) {
  if (!field.enumeration) return encode_plain(field, op, literal);
  if (op != CompareOp::eq && op != CompareOp::ne && !field.enumeration->ordered)
    fail(ErrorKind::invalid_argument,
         "field '{}' has the enumeration '{}', which is not ordered: only ==, != and in work", field.name,
         field.enumeration->name);
  return encode_code(field, op, find_value(field, literal));
}

EncodedTest encode_list(const FieldInfo& field, CompareOp op, std::span<const Literal> members) {
  EncodedTest list{op, {}, {}};
  std::unordered_map<std::string_view, std::size_t> codes;
  if (field.enumeration)
    for (std::size_t i = 0; i < field.enumeration->count(); ++i) codes.emplace(text_of(field.enumeration->value(i)), i);
  for (const Literal& member : members) {
    EncodedTest test = encode_plain(field.enumeration ? values_of(field) : field, CompareOp::eq, member);
    if (test.op == CompareOp::eq && field.enumeration) {
      const auto found = codes.find(text_of(test.value));
      test = encode_code(field, CompareOp::eq, found == codes.end() ? field.enumeration->count() : found->second);
    }
    if (test.op != CompareOp::eq) continue;  // no cell can hold it
    list.offsets.push_back(list.value.size());
    list.value.insert(list.value.end(), test.value.begin(), test.value.end());
  }
  if (list.offsets.empty()) return decided(op == CompareOp::not_in);
  return list;
}

Int128 load_integer(const Datatype& type, const std::byte* from) {
  const auto get = [&]<class T>(T) -> T { return type.big_endian ? load_be<T>(from) : load_le<T>(from); };
  const bool sign = signed_integers(type);
  switch (type.size) {
    case 1:
      return sign ? Int128{get(std::int8_t{})} : Int128{get(std::uint8_t{})};
    case 2:
      return sign ? Int128{get(std::int16_t{})} : Int128{get(std::uint16_t{})};
    case 4:
      return sign ? Int128{get(std::int32_t{})} : Int128{get(std::uint32_t{})};
    default:
      return sign ? Int128{get(std::int64_t{})} : Int128{get(std::uint64_t{})};
  }
}

void store_integer(const Datatype& type, Int128 value, std::byte* to) {
  const auto put = [&](auto v) { type.big_endian ? store_be(to, v) : store_le(to, v); };
  switch (type.size) {
    case 1:
      return put(static_cast<std::uint8_t>(value));
    case 2:
      return put(static_cast<std::uint16_t>(value));
    case 4:
      return put(static_cast<std::uint32_t>(value));
    default:
      return put(static_cast<std::uint64_t>(value));
  }
}

double load_real(const Datatype& type, const std::byte* from) {
  const auto get = [&]<class T>(T) -> T { return type.big_endian ? load_be<T>(from) : load_le<T>(from); };
  if (type.id == TypeId::float16) return half_to_float(get(std::uint16_t{}));
  if (type.id == TypeId::float32) return get(float{});
  return get(double{});
}

Int128 integer_min(const Datatype& type) {
  return signed_integers(type) ? -(Int128{1} << (type.size * 8 - 1)) : Int128{0};
}
Int128 integer_max(const Datatype& type) {
  return (Int128{1} << (type.size * 8 - (signed_integers(type) ? 1 : 0))) - 1;
}

CompareOp mirrored(CompareOp op) {
  static constexpr CompareOp kMirrored[] = {CompareOp::gt, CompareOp::ge, CompareOp::lt, CompareOp::le};
  return op <= CompareOp::ge ? kMirrored[static_cast<int>(op)] : op;
}

CompareOp opposite(CompareOp op) {
  static constexpr CompareOp kOpposite[] = {
      CompareOp::ge, CompareOp::gt,     CompareOp::le, CompareOp::lt,           CompareOp::ne,
      CompareOp::eq, CompareOp::not_in, CompareOp::in, CompareOp::always_false, CompareOp::always_true};
  return kOpposite[static_cast<int>(op)];
}

}  // namespace tegula
