#include "format/bcolz/disk/default_value.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/endian.h"
#include "base/json.h"
#include "codec/numcodecs/half.h"
#include "model/strided.h"

namespace tegula::bcolz {

namespace {

constexpr std::int64_t kNotATime = std::numeric_limits<std::int64_t>::min();

// The bytes of a number in the byte order of the type.
template <Scalar T>
void put_number(T value, const Datatype& type, std::byte* to) {
  if (type.big_endian)
    store_be(to, value);
  else
    store_le(to, value);
}

template <Scalar T>
T get_number(const Datatype& type, const std::byte* from) {
  return type.big_endian ? load_be<T>(from) : load_le<T>(from);
}

template <class T>
bool put_integer(const Json& value, const Datatype& type, std::byte* to) {
  if (value.is_number_unsigned()) {
    const auto n = value.get<std::uint64_t>();
    if (n > static_cast<std::uint64_t>(std::numeric_limits<T>::max())) return false;
    put_number(static_cast<T>(n), type, to);
    return true;
  }
  std::int64_t n = 0;
  if (value.is_boolean()) {
    n = value.get<bool>();
  } else if (value.is_number_integer()) {
    n = value.get<std::int64_t>();
  } else if (value.is_number_float() && std::trunc(value.get<double>()) == value.get<double>() &&
             std::fabs(value.get<double>()) < 0x1p53) {
    n = static_cast<std::int64_t>(value.get<double>());
  } else {
    return false;
  }
  if (n < 0 && !std::numeric_limits<T>::is_signed) return false;
  if (n < static_cast<std::int64_t>(std::numeric_limits<T>::min()) ||
      (n > 0 && static_cast<std::uint64_t>(n) > static_cast<std::uint64_t>(std::numeric_limits<T>::max())))
    return false;
  put_number(static_cast<T>(n), type, to);
  return true;
}

void put_float(double value, const Datatype& type, std::byte* to) {
  switch (type.id) {
    case TypeId::float16:
      return put_number(codec::Half(value).bits, type, to);
    case TypeId::float32:
    case TypeId::complex64:
      return put_number(static_cast<float>(value), type, to);
    default:
      return put_number(value, type, to);
  }
}

// JSON text is UTF-8; parse_json has checked it.
std::vector<std::uint32_t> code_points(std::string_view text) {
  std::vector<std::uint32_t> out;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<std::uint8_t>(text[i]);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    std::uint32_t point = length == 1 ? lead : lead & (0x7Fu >> length);
    for (std::size_t j = 1; j < length && i + j < text.size(); ++j)
      point = point << 6 | (static_cast<std::uint8_t>(text[i + j]) & 0x3Fu);
    out.push_back(point);
    i += length;
  }
  return out;
}

bool append_utf8(std::string& out, std::uint32_t point) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | (point >> shift & 0x3F)); };
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += static_cast<char>(0xC0 | point >> 6);
    tail(0);
  } else if (point < 0x10000) {
    if (point >= 0xD800 && point < 0xE000) return false;
    out += static_cast<char>(0xE0 | point >> 12);
    tail(6), tail(0);
  } else if (point < 0x110000) {
    out += static_cast<char>(0xF0 | point >> 18);
    tail(12), tail(6), tail(0);
  } else {
    return false;
  }
  return true;
}

bool put_text(const Json& value, const Datatype& type, MutableBytes to) {
  if (!value.is_string()) return false;
  const std::vector<std::uint32_t> points = code_points(value.get_ref<const std::string&>());
  const std::size_t width = type.id == TypeId::unicode ? 4 : 1;
  if (points.size() > to.size() / width) return false;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (width == 4) {
      put_number(points[i], type, to.data() + 4 * i);
    } else {
      if (points[i] > 0xFF) return false;
      to[i] = static_cast<std::byte>(points[i]);
    }
  }
  return true;
}

bool put_value(const Json& value, const Datatype& type, MutableBytes to);

bool put_elements(const Json& value, const Datatype& type, std::span<const std::uint32_t> shape, MutableBytes to) {
  if (shape.empty()) return put_value(value, type, to);
  const bool list = value.is_array();
  if (list && value.size() != shape[0]) return false;
  const std::size_t part = shape[0] ? to.size() / shape[0] : 0;
  for (std::size_t i = 0; i < shape[0]; ++i)
    if (!put_elements(list ? value[i] : value, type, shape.subspan(1), to.subspan(i * part, part))) return false;
  return true;
}

// Stores one value in bytes that are zero.
bool put_value(const Json& value, const Datatype& type, MutableBytes to) {
  std::byte* const p = to.data();
  switch (type.id) {
    case TypeId::boolean:
      if (!value.is_boolean() && !value.is_number()) return false;
      *p = static_cast<std::byte>(value.is_boolean() ? value.get<bool>() : value.get<double>() != 0);
      return true;
    case TypeId::int8:
      return put_integer<std::int8_t>(value, type, p);
    case TypeId::int16:
      return put_integer<std::int16_t>(value, type, p);
    case TypeId::int32:
      return put_integer<std::int32_t>(value, type, p);
    case TypeId::int64:
      return put_integer<std::int64_t>(value, type, p);
    case TypeId::uint8:
      return put_integer<std::uint8_t>(value, type, p);
    case TypeId::uint16:
      return put_integer<std::uint16_t>(value, type, p);
    case TypeId::uint32:
      return put_integer<std::uint32_t>(value, type, p);
    case TypeId::uint64:
      return put_integer<std::uint64_t>(value, type, p);
    case TypeId::float16:
    case TypeId::float32:
    case TypeId::float64:
    case TypeId::complex64:
    case TypeId::complex128:
      if (!value.is_number()) return false;
      put_float(value.get<double>(), type, p);
      return true;
    case TypeId::datetime:
    case TypeId::timedelta:
      if (!value.is_null()) return put_integer<std::int64_t>(value, type, p);
      put_number(kNotATime, type, p);
      return true;
    case TypeId::bytes:
    case TypeId::unicode:
    case TypeId::raw:
      return put_text(value, type, to);
    case TypeId::record: {
      if (!value.is_array() || value.size() != type.fields->size()) return false;
      for (std::size_t i = 0; i < type.fields->size(); ++i) {
        const Field& field = (*type.fields)[i];
        Datatype element = field.type;
        element.shape.clear();
        if (!put_elements(value[i], element, field.type.shape, to.subspan(field.offset, field.type.full_size())))
          return false;
      }
      return true;
    }
    default:
      return false;
  }
}

const Json& first_leaf(const Json& value) {
  const Json* leaf = &value;
  while (leaf->is_array() && !leaf->empty()) leaf = &(*leaf)[0];
  return *leaf;
}

std::optional<Json> value_json(ByteView cell, const Datatype& type);

std::optional<Json> elements_json(ByteView cells, const Datatype& type, std::span<const std::uint32_t> shape) {
  if (shape.empty()) return value_json(cells, type);
  Json list = Json::array();
  const std::size_t part = shape[0] ? cells.size() / shape[0] : 0;
  for (std::size_t i = 0; i < shape[0]; ++i) {
    std::optional<Json> item = elements_json(cells.subspan(i * part, part), type, shape.subspan(1));
    if (!item) return std::nullopt;
    list.push_back(std::move(*item));
  }
  return list;
}

std::optional<Json> text_json(ByteView cell, const Datatype& type) {
  const std::size_t width = type.id == TypeId::unicode ? 4 : 1;
  std::size_t count = cell.size() / width;
  const auto point = [&](std::size_t i) {
    return width == 4 ? get_number<std::uint32_t>(type, cell.data() + 4 * i) : static_cast<std::uint32_t>(cell[i]);
  };
  if (type.id != TypeId::raw)
    while (count > 0 && point(count - 1) == 0) --count;
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    // bcolz encodes the text of an S default as ASCII and fails for anything else.
    if (type.id == TypeId::bytes && point(i) > 0x7F) return std::nullopt;
    if (!append_utf8(text, point(i))) return std::nullopt;
  }
  return Json(std::move(text));
}

std::optional<Json> value_json(ByteView cell, const Datatype& type) {
  const std::byte* const p = cell.data();
  switch (type.id) {
    case TypeId::boolean:
      return Json(*p != std::byte{0});
    case TypeId::int8:
      return Json(get_number<std::int8_t>(type, p));
    case TypeId::int16:
      return Json(get_number<std::int16_t>(type, p));
    case TypeId::int32:
      return Json(get_number<std::int32_t>(type, p));
    case TypeId::int64:
      return Json(get_number<std::int64_t>(type, p));
    case TypeId::uint8:
      return Json(get_number<std::uint8_t>(type, p));
    case TypeId::uint16:
      return Json(get_number<std::uint16_t>(type, p));
    case TypeId::uint32:
      return Json(get_number<std::uint32_t>(type, p));
    case TypeId::uint64:
      return Json(get_number<std::uint64_t>(type, p));
    case TypeId::float16: {
      codec::Half half;
      half.bits = get_number<std::uint16_t>(type, p);
      return Json(static_cast<double>(half));
    }
    case TypeId::float32:
      return Json(static_cast<double>(get_number<float>(type, p)));
    case TypeId::float64:
      return Json(get_number<double>(type, p));
    case TypeId::complex64:
      if (get_number<float>(type, p + 4) != 0) return std::nullopt;
      return Json(static_cast<double>(get_number<float>(type, p)));
    case TypeId::complex128:
      if (get_number<double>(type, p + 8) != 0) return std::nullopt;
      return Json(get_number<double>(type, p));
    case TypeId::datetime:
    case TypeId::timedelta: {
      const auto ticks = get_number<std::int64_t>(type, p);
      return ticks == kNotATime ? Json(nullptr) : Json(ticks);
    }
    case TypeId::bytes:
    case TypeId::unicode:
    case TypeId::raw:
      return text_json(cell, type);
    case TypeId::record: {
      Json list = Json::array();
      for (const Field& field : *type.fields) {
        Datatype element = field.type;
        element.shape.clear();
        std::optional<Json> value =
            elements_json(cell.subspan(field.offset, field.type.full_size()), element, field.type.shape);
        if (!value) return std::nullopt;
        list.push_back(std::move(*value));
      }
      return list;
    }
    default:
      return std::nullopt;
  }
}

bool put_row(const Json& dflt, const Datatype& type, std::span<const std::uint64_t> inner, MutableBytes to) {
  if (inner.empty()) return put_value(dflt, type, to);
  if (!dflt.is_array() || dflt.size() != inner[0]) return false;
  const std::size_t part = to.size() / inner[0];
  for (std::size_t i = 0; i < inner[0]; ++i)
    if (!put_row(dflt[i], type, inner.subspan(1), to.subspan(i * part, part))) return false;
  return true;
}

// A nested list of an N-d carray gives its first item.
std::optional<Bytes> item_of(const Json& dflt, const Datatype& type) {
  Bytes item(type.full_size(), std::byte{0});
  if (put_value(dflt, type, item)) return item;
  std::fill(item.begin(), item.end(), std::byte{0});
  if (dflt.is_array() && type.id != TypeId::record && put_value(first_leaf(dflt), type, item)) return item;
  return std::nullopt;
}

}  // namespace

std::optional<Bytes> default_item(std::string_view dflt, const Datatype& type) {
  return item_of(parse_json(bytes_of(dflt), "dflt"), type);
}

std::optional<Bytes> default_row(std::string_view dflt, const Datatype& type, std::span<const std::uint64_t> inner) {
  const std::uint64_t items = cell_count(inner);
  Bytes row(items * type.full_size(), std::byte{0});
  if (items == 0) return row;
  const Json value = parse_json(bytes_of(dflt), "dflt");
  if (!inner.empty() && put_row(value, type, inner, row)) return row;
  const std::optional<Bytes> item = item_of(value, type);
  if (!item) return std::nullopt;
  for (std::uint64_t i = 0; i < items; ++i) std::memcpy(row.data() + i * item->size(), item->data(), item->size());
  return row;
}

std::optional<std::string> default_json(ByteView item, const Datatype& type) {
  const std::optional<Json> value = value_json(item, type);
  return value ? std::optional(dump_json(*value)) : std::nullopt;
}

}  // namespace tegula::bcolz
