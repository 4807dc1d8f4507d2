#include "tegula/datatype.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/datatype_names.h"
#include "base/fail.h"

namespace tegula {

namespace {

struct CodeRow {
  std::string_view name;
  TypeId id;
  std::uint32_t size;
  TimeUnit unit = TimeUnit::none;
};

using enum TypeId;

// TileDB's datatype codes; the index is the code.
constexpr CodeRow kTileDb[] = {{"INT32", int32, 4},
                               {"INT64", int64, 8},
                               {"FLOAT32", float32, 4},
                               {"FLOAT64", float64, 8},
                               {"CHAR", character, 1},
                               {"INT8", int8, 1},
                               {"UINT8", uint8, 1},
                               {"INT16", int16, 2},
                               {"UINT16", uint16, 2},
                               {"UINT32", uint32, 4},
                               {"UINT64", uint64, 8},
                               {"STRING_ASCII", ascii, 1},
                               {"STRING_UTF8", utf8, 1},
                               {"STRING_UTF16", utf16, 2},
                               {"STRING_UTF32", utf32, 4},
                               {"STRING_UCS2", ucs2, 2},
                               {"STRING_UCS4", ucs4, 4},
                               {"ANY", any, 1},
                               {"DATETIME_YEAR", datetime, 8, TimeUnit::year},
                               {"DATETIME_MONTH", datetime, 8, TimeUnit::month},
                               {"DATETIME_WEEK", datetime, 8, TimeUnit::week},
                               {"DATETIME_DAY", datetime, 8, TimeUnit::day},
                               {"DATETIME_HR", datetime, 8, TimeUnit::hour},
                               {"DATETIME_MIN", datetime, 8, TimeUnit::minute},
                               {"DATETIME_SEC", datetime, 8, TimeUnit::second},
                               {"DATETIME_MS", datetime, 8, TimeUnit::ms},
                               {"DATETIME_US", datetime, 8, TimeUnit::us},
                               {"DATETIME_NS", datetime, 8, TimeUnit::ns},
                               {"DATETIME_PS", datetime, 8, TimeUnit::ps},
                               {"DATETIME_FS", datetime, 8, TimeUnit::fs},
                               {"DATETIME_AS", datetime, 8, TimeUnit::as},
                               {"TIME_HR", timedelta, 8, TimeUnit::hour},
                               {"TIME_MIN", timedelta, 8, TimeUnit::minute},
                               {"TIME_SEC", timedelta, 8, TimeUnit::second},
                               {"TIME_MS", timedelta, 8, TimeUnit::ms},
                               {"TIME_US", timedelta, 8, TimeUnit::us},
                               {"TIME_NS", timedelta, 8, TimeUnit::ns},
                               {"TIME_PS", timedelta, 8, TimeUnit::ps},
                               {"TIME_FS", timedelta, 8, TimeUnit::fs},
                               {"TIME_AS", timedelta, 8, TimeUnit::as},
                               {"BLOB", blob, 1},
                               {"BOOL", boolean, 1},
                               {"GEOM_WKB", wkb, 1},
                               {"GEOM_WKT", wkt, 1}};
static_assert(std::size(kTileDb) == 44);

// Name, size and numpy kind letter of the simple types, by TypeId.
constexpr SimpleType kSimple[] = {{boolean, "bool", 1, 'b'},
                                  {int8, "int8", 1, 'i'},
                                  {int16, "int16", 2, 'i'},
                                  {int32, "int32", 4, 'i'},
                                  {int64, "int64", 8, 'i'},
                                  {uint8, "uint8", 1, 'u'},
                                  {uint16, "uint16", 2, 'u'},
                                  {uint32, "uint32", 4, 'u'},
                                  {uint64, "uint64", 8, 'u'},
                                  {float16, "float16", 2, 'f'},
                                  {float32, "float32", 4, 'f'},
                                  {float64, "float64", 8, 'f'},
                                  {complex64, "complex64", 8, 'c'},
                                  {complex128, "complex128", 16, 'c'},
                                  {datetime, "datetime64", 8, 'M'},
                                  {timedelta, "timedelta64", 8, 'm'},
                                  {character, "char", 1, 'S'},
                                  {ascii, "ascii", 1, 'S'},
                                  {utf8, "utf8", 1, 'S'},
                                  {utf16, "utf16", 2, 'u'},
                                  {utf32, "utf32", 4, 'U'},
                                  {ucs2, "ucs2", 2, 'u'},
                                  {ucs4, "ucs4", 4, 'U'},
                                  {any, "any", 1, 'u'},
                                  {blob, "blob", 1, 'u'},
                                  {wkb, "wkb", 1, 'u'},
                                  {wkt, "wkt", 1, 'S'},
                                  {TypeId::bytes, "bytes", 1, 'S'},
                                  {unicode, "unicode", 4, 'U'},
                                  {raw, "raw", 1, 'V'},
                                  {record, "record", 0, 'V'},
                                  {object, "object", 8, 'O'}};

}  // namespace

const SimpleType& simple_type(TypeId id) { return kSimple[static_cast<std::size_t>(id)]; }
std::span<const SimpleType> simple_types() { return kSimple; }

Datatype::Datatype(TypeId type) : id(type), size(simple_type(type).size) {}

bool operator==(const Datatype& a, const Datatype& b) {
  if (a.id != b.id || a.size != b.size || a.unit != b.unit || a.unit_count != b.unit_count || a.shape != b.shape)
    return false;
  if (a.big_endian != b.big_endian && a.id != TypeId::record) return false;
  if (!a.fields || !b.fields) return !a.fields == !b.fields;
  return *a.fields == *b.fields;
}

bool Datatype::is_integer() const { return id >= TypeId::int8 && id <= TypeId::uint64; }
bool Datatype::is_signed() const {
  return (id >= TypeId::int8 && id <= TypeId::int64) || is_float() || is_date() || id == TypeId::character;
}
bool Datatype::is_float() const { return id == TypeId::float16 || id == TypeId::float32 || id == TypeId::float64; }
bool Datatype::is_text() const { return (id >= TypeId::character && id <= TypeId::ucs4) || id == TypeId::wkt; }

std::uint64_t Datatype::full_size() const {
  std::uint64_t n = size;
  for (const std::uint32_t extent : shape) n *= extent;
  return n;
}

std::optional<TypeId> Datatype::arithmetic() const {
  switch (id) {
    case TypeId::boolean:
      return TypeId::uint8;
    case TypeId::datetime:
    case TypeId::timedelta:
      return TypeId::int64;
    case TypeId::character:
      return TypeId::int8;
    case TypeId::ascii:
    case TypeId::utf8:
    case TypeId::any:
    case TypeId::blob:
    case TypeId::wkb:
    case TypeId::wkt:
      return TypeId::uint8;
    case TypeId::utf16:
    case TypeId::ucs2:
      return TypeId::uint16;
    case TypeId::utf32:
    case TypeId::ucs4:
      return TypeId::uint32;
    case TypeId::float16:
    case TypeId::complex64:
    case TypeId::complex128:
    case TypeId::bytes:
    case TypeId::unicode:
    case TypeId::raw:
    case TypeId::record:
    case TypeId::object:
      return std::nullopt;
    default:
      return id;
  }
}

std::optional<std::uint8_t> tiledb_code(const Datatype& type) {
  if (type.big_endian && type.size > 1) return std::nullopt;
  if (type.is_date() && type.unit_count != 1) return std::nullopt;
  for (std::size_t code = 0; code < std::size(kTileDb); ++code)
    if (kTileDb[code].id == type.id && kTileDb[code].unit == type.unit) return static_cast<std::uint8_t>(code);
  return std::nullopt;
}

Datatype datatype_from_tiledb(std::uint8_t code) {
  if (code >= std::size(kTileDb)) fail(ErrorKind::unsupported, "TileDB datatype code {} is not one of 0..43", code);
  Datatype type(kTileDb[code].id, kTileDb[code].size);
  type.unit = kTileDb[code].unit;
  return type;
}

std::string_view tiledb_name(std::uint8_t code) { return code < std::size(kTileDb) ? kTileDb[code].name : ""; }

std::string display_name(const Datatype& type) {
  std::string text;
  if (type.id == TypeId::record && type.fields) {
    text = "{";
    for (const Field& field : *type.fields)
      text += fmt::format("{}{}: {}", text.size() > 1 ? ", " : "", field.name, display_name(field.type));
    text += "}";
  } else {
    text = simple_type(type.id).name;
    if (type.is_date() && type.unit != TimeUnit::none)
      text += fmt::format("[{}{}]", type.unit_count == 1 ? "" : std::to_string(type.unit_count), unit_name(type.unit));
    if (type.id == TypeId::bytes || type.id == TypeId::raw) text += fmt::format("[{}]", type.size);
    if (type.id == TypeId::unicode) text += fmt::format("[{}]", type.size / 4);
    if (type.big_endian && type.size > 1) text += " big-endian";
  }
  if (!type.shape.empty()) text += fmt::format("({})", fmt::join(type.shape, ", "));
  return text;
}

}  // namespace tegula
