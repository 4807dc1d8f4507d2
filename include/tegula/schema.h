// What an array is: dimensions, attributes, tiles, filters. One model for every format.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tegula/bytes.h"
#include "tegula/datatype.h"

namespace tegula {

// A scalar outside of a column: a domain bound, a literal of a condition, an option. Text holds raw bytes.
using Value = std::variant<std::monostate, std::int64_t, std::uint64_t, double, std::string>;

inline constexpr std::uint32_t kVar = 0xFFFFFFFF;  // values per cell: any number

enum class Order : std::uint8_t { row, col, global, unordered, hilbert };

// One step of a filter pipeline or codec chain: "zstd" {level: 5}.
struct Filter {
  std::string name;
  std::vector<std::pair<std::string, Value>> options;
  friend bool operator==(const Filter&, const Filter&) = default;
};

// "zstd:5", "blosc:lz4:5:shuffle" as a person writes and reads them.
std::string display_name(const Filter& filter);

struct Range {
  Value low, high;  // both included
  friend bool operator==(const Range&, const Range&) = default;
};

struct Dimension {
  std::string name;
  Datatype type;
  std::uint32_t values_per_cell = 1;  // kVar for text
  Range domain;                       // empty values for text dimensions
  Value tile;                         // empty: none
  std::vector<Filter> filters;
};

struct Attribute {
  std::string name;  // may be empty
  Datatype type;
  std::uint32_t values_per_cell = 1;
  bool nullable = false;
  Bytes fill;                // one cell
  bool fill_valid = false;   // nullable only
  bool fill_defined = true;  // false: the format leaves unwritten cells undefined (zarr `null`); `fill` is zeros
  std::vector<Filter> filters;
  std::string enumeration;  // name in Schema::enumerations, or empty
  std::vector<std::uint64_t>
      cell_shape;  // of the values in a cell that have several axes (bcolz columns); empty: one axis
  std::uint64_t cell_size() const { return values_per_cell == kVar ? 0 : values_per_cell * type.full_size(); }
};

struct Enumeration {
  std::string name;
  Datatype type;
  std::uint32_t values_per_cell = 1;
  bool ordered = false;
  Bytes data;
  std::vector<std::uint64_t> offsets;  // kVar only: start of each value
  std::size_t count() const;
  ByteView value(std::size_t i) const;
};

struct Label {
  std::string name;
  std::uint32_t dimension = 0;
  Datatype type;
  std::uint32_t values_per_cell = 1;
  bool increasing = true;
};

struct Schema {
  std::string format;  // "tiledb", "bcolz", "zarr0" .. "zarr3"
  std::uint32_t format_version = 0;
  bool sparse = false;
  bool table = false;  // a bcolz ctable: rows are found by conditions rather than masked
  std::vector<Dimension> dimensions;
  std::vector<Attribute> attributes;
  Order tile_order = Order::row;
  Order cell_order = Order::row;
  std::uint64_t capacity = 10000;  // cells per sparse tile
  bool allows_duplicates = false;
  std::vector<Filter> coords_filters, offsets_filters, validity_filters;
  std::vector<Enumeration> enumerations;
  std::vector<Label> labels;
  std::optional<std::vector<Range>> current_domain;

  // Cells along each dimension. Throws invalid_argument unless all dimensions are integers or dates.
  std::vector<std::uint64_t> shape() const;
  // Tile extent along each dimension, clipped to the domain; same condition.
  std::vector<std::uint64_t> chunks() const;
  const Attribute* attribute(std::string_view name) const;  // null when absent
  const Dimension* dimension(std::string_view name) const;
  const Enumeration* enumeration(std::string_view name) const;
};

}  // namespace tegula
