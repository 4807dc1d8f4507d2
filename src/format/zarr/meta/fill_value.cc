#include "format/zarr/meta/fill_value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/endian.h"
#include "base/fail.h"
#include "codec/numcodecs/half.h"
#include "format/zarr/meta/base64.h"

namespace tegula::zarr {

namespace {

[[noreturn]] void unsuitable(const Json& value, const Datatype& type) {
  fail(ErrorKind::corrupt, "fill value {} does not suit type {}", dump_json(value), display_name(type));
}

template <class T>
void put_scalar(Bytes& out, T value, bool big_endian) {
  const std::size_t at = out.size();
  out.resize(at + sizeof(T));
  big_endian ? store_be<T>(out.data() + at, value) : store_le<T>(out.data() + at, value);
}

void put_bits(Bytes& out, std::uint64_t bits, std::size_t size, bool big_endian) {
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t shift = 8 * (big_endian ? size - 1 - i : i);
    out.push_back(static_cast<std::byte>(bits >> shift & 0xff));
  }
}

void put_float(Bytes& out, double value, std::size_t size, bool big_endian) {
  if (size == 2) return put_scalar(out, codec::Half(value).bits, big_endian);
  if (size == 4) return put_scalar(out, static_cast<float>(value), big_endian);
  put_scalar(out, value, big_endian);
}

// A number, or one of the names of non-finite ones, or the bits of a NaN in hexadecimal.
void put_float_json(Bytes& out, const Json& value, const Datatype& type, std::size_t size) {
  if (value.is_boolean()) return put_float(out, value.get<bool>() ? 1 : 0, size, type.big_endian);
  if (value.is_number()) return put_float(out, value.get<double>(), size, type.big_endian);
  if (!value.is_string()) unsuitable(value, type);
  const std::string& text = value.get_ref<const std::string&>();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text == "NaN") return put_float(out, std::numeric_limits<double>::quiet_NaN(), size, type.big_endian);
  if (text == "Infinity") return put_float(out, kInfinity, size, type.big_endian);
  if (text == "-Infinity") return put_float(out, -kInfinity, size, type.big_endian);
  std::uint64_t bits = 0;
  const char* end = text.data() + text.size();
  if (text.size() != 2 + 2 * size || !text.starts_with("0x") ||
      std::from_chars(text.data() + 2, end, bits, 16).ptr != end)
    unsuitable(value, type);
  put_bits(out, bits, size, type.big_endian);
}

double read_float(const std::byte* from, std::size_t size, bool big_endian) {
  if (size == 2) {
    codec::Half half;
    half.bits = big_endian ? load_be<std::uint16_t>(from) : load_le<std::uint16_t>(from);
    return static_cast<double>(half);
  }
  if (size == 4) return big_endian ? load_be<float>(from) : load_le<float>(from);
  return big_endian ? load_be<double>(from) : load_le<double>(from);
}

std::uint64_t read_bits(const std::byte* from, std::size_t size, bool big_endian) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < size; ++i)
    bits = bits << 8 | std::to_integer<std::uint64_t>(from[big_endian ? i : size - 1 - i]);
  return bits;
}

// Does an integer of this sign and size hold the value?
bool fits(const Json& value, std::size_t size, bool is_signed) {
  const std::uint64_t most = size == 8 ? UINT64_MAX : (std::uint64_t{1} << (8 * size)) - 1;
  if (!is_signed) return value.is_number_unsigned() && value.get<std::uint64_t>() <= most;
  if (value.is_number_unsigned()) return value.get<std::uint64_t>() <= most / 2;
  return value.get<std::int64_t>() >= -static_cast<std::int64_t>(most / 2) - 1;
}

void put_integer_json(Bytes& out, const Json& value, const Datatype& type, FillStyle style) {
  std::uint64_t bits = 0;
  const bool is_signed = type.is_signed() || type.is_date();
  if (value.is_number_integer()) {
    if (style == FillStyle::v3 && !fits(value, type.size, is_signed)) unsuitable(value, type);
    bits =
        value.is_number_unsigned() ? value.get<std::uint64_t>() : static_cast<std::uint64_t>(value.get<std::int64_t>());
  } else if (value.is_boolean() && style != FillStyle::v3) {
    bits = value.get<bool>() ? 1 : 0;
  } else if (value.is_number_float()) {
    const double number = std::trunc(value.get<double>());
    if (!(number >= -0x1p63 && number < 0x1p64) || (style == FillStyle::v3 && number != value.get<double>()))
      unsuitable(value, type);
    bits =
        number < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(number)) : static_cast<std::uint64_t>(number);
  } else if (type.is_date() && value.is_string() && value.get_ref<const std::string&>() == "NaT") {
    bits = std::uint64_t{1} << 63;
  } else {
    unsuitable(value, type);
  }
  put_bits(out, bits, type.size, type.big_endian);
}

void put_boolean_json(Bytes& out, const Json& value, const Datatype& type, FillStyle style) {
  bool truth = false;
  if (value.is_boolean()) {
    truth = value.get<bool>();
  } else if (value.is_number() && style != FillStyle::v3) {
    truth = value.get<double>() != 0;
  } else {
    unsuitable(value, type);
  }
  out.push_back(static_cast<std::byte>(truth));
}

// The text that numpy stores when a number is assigned to a text cell.
std::string decimal_text(const Json& value, const Datatype& type) {
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  if (value.is_number_float() && !std::isfinite(value.get<double>())) {
    const double number = value.get<double>();
    return std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf";
  }
  if (!value.is_number()) unsuitable(value, type);
  return dump_json(value);
}

// UTF-8 to code points, cut or padded to `count`.
void put_code_points(Bytes& out, std::string_view text, const Datatype& type) {
  const std::size_t count = type.size / 4;
  std::size_t done = 0;
  for (std::size_t i = 0; i < text.size() && done < count; ++done) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    std::uint32_t point = length == 1 ? lead : lead & (0xff >> (length + 1));
    for (std::size_t k = 1; k < length && i + k < text.size(); ++k)
      point = point << 6 | (static_cast<unsigned char>(text[i + k]) & 0x3f);
    put_bits(out, point, 4, type.big_endian);
    i += length;
  }
  out.insert(out.end(), type.size - done * 4, std::byte{0});
}

void append_utf8(std::string& out, std::uint32_t point) {
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += static_cast<char>(0xc0 | point >> 6);
    out += static_cast<char>(0x80 | (point & 0x3f));
  } else if (point < 0x10000) {
    out += static_cast<char>(0xe0 | point >> 12);
    out += static_cast<char>(0x80 | (point >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (point & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | (point >> 18 & 7));
    out += static_cast<char>(0x80 | (point >> 12 & 0x3f));
    out += static_cast<char>(0x80 | (point >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (point & 0x3f));
  }
}

void put_padded(Bytes& out, ByteView bytes, std::size_t size) {
  const std::size_t n = std::min(bytes.size(), size);
  out.insert(out.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n));
  out.insert(out.end(), size - n, std::byte{0});
}

void put_value(Bytes& out, const Json& value, const Datatype& type, FillStyle style);

void put_elements(Bytes& out, const Json& value, const Datatype& type, FillStyle style) {
  if (type.shape.empty()) return put_value(out, value, type, style);
  Datatype element = type;
  element.shape.clear();
  for (std::uint64_t left = type.full_size() / type.size; left > 0; --left) put_value(out, value, element, style);
}

void put_record(Bytes& out, const Json& value, const Datatype& type, FillStyle style) {
  const std::size_t start = out.size();
  std::size_t index = 0;
  for (const Field& field : *type.fields) {
    out.resize(start + field.offset, std::byte{0});
    const Json* one = &value;
    if (value.is_array()) {
      if (value.size() != type.fields->size()) unsuitable(value, type);
      one = &value[index++];
    } else if (value.is_object()) {
      if (!value.contains(field.name)) unsuitable(value, type);
      one = &value[field.name];
    }
    put_elements(out, *one, field.type, style);
  }
  out.resize(start + type.size, std::byte{0});
}

bool stored_as_base64(const Datatype& type) {
  return type.id == TypeId::bytes || type.id == TypeId::raw || type.id == TypeId::record;
}

void put_value(Bytes& out, const Json& value, const Datatype& type, FillStyle style) {
  if (style != FillStyle::numpy && stored_as_base64(type) && value.is_string()) {
    const std::optional<Bytes> bytes = base64_decode(value.get_ref<const std::string&>());
    if (!bytes || bytes->size() > type.size) unsuitable(value, type);
    return put_padded(out, *bytes, type.size);
  }
  switch (type.id) {
    case TypeId::boolean:
      return put_boolean_json(out, value, type, style);
    case TypeId::float16:
    case TypeId::float32:
    case TypeId::float64:
      return put_float_json(out, value, type, type.size);
    case TypeId::complex64:
    case TypeId::complex128: {
      const bool pair = value.is_array() && value.size() == 2;
      if (!pair && style == FillStyle::v3) unsuitable(value, type);
      put_float_json(out, pair ? value[0] : value, type, type.size / 2);
      return put_float_json(out, pair ? value[1] : Json(0), type, type.size / 2);
    }
    case TypeId::bytes:
    case TypeId::unicode: {
      const bool text = value.is_string();
      if (!text && style == FillStyle::v3) unsuitable(value, type);
      const std::string content = text ? value.get<std::string>() : decimal_text(value, type);
      if (type.id == TypeId::unicode) return put_code_points(out, content, type);
      return put_padded(out, bytes_of(content), type.size);
    }
    case TypeId::raw:
      if (value.is_array()) {  // format 3's r8, r16: a list of bytes
        if (value.size() != type.size) unsuitable(value, type);
        for (const Json& byte : value) {
          if (!byte.is_number_unsigned() || byte.get<std::uint64_t>() > 255) unsuitable(value, type);
          out.push_back(static_cast<std::byte>(byte.get<std::uint8_t>()));
        }
        return;
      }
      if (value.is_string()) return put_padded(out, bytes_of(value.get_ref<const std::string&>()), type.size);
      if (!value.is_number() && !value.is_boolean()) unsuitable(value, type);
      // numpy would convert the number to text; only 0 occurs in practice, and stands for an empty cell.
      if (value.get<double>() == 0) return put_padded(out, {}, type.size);
      return put_padded(out, bytes_of(decimal_text(value, type)), type.size);
    case TypeId::record:
      return put_record(out, value, type, style);
    default:
      if (!type.is_integer() && !type.is_date()) unsuitable(value, type);
      return put_integer_json(out, value, type, style);
  }
}

Json float_json(double value, FillStyle style) {
  if (style == FillStyle::numpy || std::isfinite(value)) return value;
  return std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
}

bool all_zero(ByteView bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

std::string_view without_padding(ByteView cell) {
  std::string_view text = text_of(cell);
  while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
  return text;
}

}  // namespace

Bytes fill_from_json(const Json& value, const Datatype& type, FillStyle style) {
  Bytes out;
  put_elements(out, value, type, style);
  return out;
}

Json fill_to_json(ByteView cell, const Datatype& type, FillStyle style) {
  if (cell.size() != type.full_size())
    fail(ErrorKind::invalid_argument, "the fill value has {} bytes, a cell {}", cell.size(), type.full_size());
  if (stored_as_base64(type)) {
    if (style != FillStyle::numpy) return base64_encode(cell);
    // The first formats cannot spell bytes in JSON: text becomes plain text, zeros 0 or null.
    if (type.id == TypeId::bytes) {
      const std::string_view text = without_padding(cell);
      if (std::all_of(text.begin(), text.end(), [](char c) { return c > 0; })) return text;
    } else if (all_zero(cell) && type.id == TypeId::raw) {
      return 0;
    }
    if (all_zero(cell)) return nullptr;
    fail(ErrorKind::unsupported, "this format cannot store the fill value of type {}", display_name(type));
  }
  switch (type.id) {
    case TypeId::boolean:
      return cell[0] != std::byte{0};
    case TypeId::float16:
    case TypeId::float32:
    case TypeId::float64:
      return float_json(read_float(cell.data(), type.size, type.big_endian), style);
    case TypeId::complex64:
    case TypeId::complex128: {
      const std::size_t half = type.size / 2;
      const double re = read_float(cell.data(), half, type.big_endian),
                   im = read_float(cell.data() + half, half, type.big_endian);
      if (style != FillStyle::numpy) return Json::array({float_json(re, style), float_json(im, style)});
      if (im == 0) return float_json(re, style);
      fail(ErrorKind::unsupported, "this format cannot store a complex fill value");
    }
    case TypeId::unicode: {
      std::string text;
      for (std::size_t i = 0; i < cell.size(); i += 4)
        append_utf8(text, static_cast<std::uint32_t>(read_bits(cell.data() + i, 4, type.big_endian)));
      while (!text.empty() && text.back() == '\0') text.pop_back();
      return text;
    }
    default: {
      if (!type.is_integer() && !type.is_date()) {
        if (all_zero(cell)) return 0;
        fail(ErrorKind::unsupported, "a fill value of type {} cannot be stored", display_name(type));
      }
      const std::uint64_t bits = read_bits(cell.data(), type.size, type.big_endian);
      if (!type.is_signed() && !type.is_date()) return bits;
      const unsigned shift = 64 - 8 * type.size;
      return static_cast<std::int64_t>(bits << shift) >> shift;
    }
  }
}

Bytes var_fill_from_json(const Json& value, const Datatype& type, bool json) {
  if (json) return copy_of(bytes_of(dump_json(value, {.ascii = false})));
  if (value.is_null()) return {};
  if (value.is_string()) {
    const std::string& text = value.get_ref<const std::string&>();
    if (type.is_text()) return copy_of(bytes_of(text));
    std::optional<Bytes> bytes = base64_decode(text);
    return bytes ? std::move(*bytes) : copy_of(bytes_of(text));
  }
  // zarr 2 writes 0 by default for objects of any kind, and returns that number; here it becomes empty text.
  if (value.is_number() && value.get<double>() == 0) return {};
  unsuitable(value, type);
}

Json var_fill_to_json(ByteView cell, const Datatype& type) {
  if (type.is_text()) return text_of(cell);
  return base64_encode(cell);
}

}  // namespace tegula::zarr
