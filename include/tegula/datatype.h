// Element types: one value type that covers TileDB's datatype codes and numpy's dtypes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tegula {

enum class TypeId : std::uint8_t {
  boolean,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  float32,
  float64,
  complex64,
  complex128,
  datetime,   // int64 ticks of `unit` since 1970
  timedelta,  // int64 ticks of `unit`
  // Text and bytes as TileDB has them: one code unit per value, usually many values per cell.
  character,
  ascii,
  utf8,
  utf16,
  utf32,
  ucs2,
  ucs4,
  any,
  blob,
  wkb,
  wkt,
  // Items of a fixed size as numpy has them.
  bytes,    // S: `size` bytes, zero padded
  unicode,  // U: size / 4 code points, zero padded
  raw,      // V: `size` bytes
  record,   // fields at offsets
  object,   // Python objects: recognised only to be refused with a clear error
};

enum class TimeUnit : std::uint8_t { none, year, month, week, day, hour, minute, second, ms, us, ns, ps, fs, as };

struct Field;

struct Datatype {
  TypeId id = TypeId::uint8;
  std::uint32_t size = 1;                            // bytes of one value
  bool big_endian = false;                           // order of the bytes in memory and in files
  TimeUnit unit = TimeUnit::none;                    // datetime, timedelta
  std::uint32_t unit_count = 1;                      // datetime64[25s] -> 25
  std::shared_ptr<const std::vector<Field>> fields;  // record
  std::vector<std::uint32_t> shape;                  // sub-array of a record field; `size` counts one element

  Datatype() = default;
  Datatype(TypeId type);  // fixed-size types; datetimes get unit none
  Datatype(TypeId type, std::uint32_t size_in_bytes) : id(type), size(size_in_bytes) {}

  bool is_integer() const;  // signed, unsigned; not bool, dates, text
  bool is_signed() const;
  bool is_float() const;
  bool is_date() const { return id == TypeId::datetime || id == TypeId::timedelta; }
  bool is_text() const;  // TileDB's char, ascii, utf*, ucs*, wkt
  // Bytes of one value including a sub-array's elements.
  std::uint64_t full_size() const;
  // The type in which arithmetic is done: dates are int64, text and bytes uint8, TileDB CHAR int8.
  // No value for float16, complex, bytes, unicode, raw, record, object.
  std::optional<TypeId> arithmetic() const;
  friend bool operator==(const Datatype& a, const Datatype& b);
};

struct Field {
  std::string name;
  Datatype type;
  std::uint32_t offset = 0;
  friend bool operator==(const Field&, const Field&) = default;
};

// TileDB's code (0..43). No value for a type TileDB lacks.
std::optional<std::uint8_t> tiledb_code(const Datatype& type);
// Throws unsupported for a code above 43.
Datatype datatype_from_tiledb(std::uint8_t code);
std::string_view tiledb_name(std::uint8_t code);  // "INT32", "DATETIME_NS"; empty when unknown

// numpy's spelling: "<i4", "|S7", "<M8[25s]", ">U3", "[('a', '<i4')]"; for a TileDB-only type the nearest of the same
// size.
std::string numpy_string(const Datatype& type);
// Parses every spelling that numpy prints or accepts for stored arrays: "<i4", "int32", "bool", "datetime64[ns]",
// ">M8[D]",
// "[('a', '<i4'), ('b', '<f8', (2,))]", "{'names': [...], 'formats': [...], 'offsets': [...], 'itemsize': 16}".
// Throws unsupported for any other text.
Datatype datatype_from_numpy(std::string_view text);
// For people: "int32", "datetime64[ns]", "ascii", "bytes[7]", "{a: int32, b: float64}".
std::string display_name(const Datatype& type);
// The inverse of display_name for simple types, and of numpy_string. Throws invalid_argument.
Datatype parse_datatype(std::string_view text);

}  // namespace tegula
