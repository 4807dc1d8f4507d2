// The schema of an array: dimensions, attributes, tiles, filters. All formats share this model.
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

// A single value: a domain bound, a literal in a condition, an option. Strings hold raw bytes.
using Value = std::variant<std::monostate, std::int64_t, std::uint64_t, double, std::string>;

inline constexpr std::uint32_t kVar = 0xFFFFFFFF;  // values_per_cell of cells of variable size

enum class Order : std::uint8_t { row, col, global, unordered, hilbert };

// One step of a filter pipeline or codec chain: "zstd" {level: 5}.
struct Filter {
  std::string name;
  std::vector<std::pair<std::string, Value>> options;
  friend bool operator==(const Filter&, const Filter&) = default;
};

// For people: "zstd:5", "blosc:lz4:5:shuffle".
std::string display_name(const Filter& filter);

struct Range {
  Value low, high;  // both included
  friend bool operator==(const Range&, const Range&) = default;
};

struct Dimension {
  std::string name;
  Datatype type;
  std::uint32_t values_per_cell = 1;  // kVar for text
  Range domain;                       // without values for text dimensions
  Value tile;                         // without value: no tiles
  std::vector<Filter> filters;
};

struct Attribute {
  std::string name;  // may be empty
  Datatype type;
  std::uint32_t values_per_cell = 1;
  bool nullable = false;
  Bytes fill;                // the fill value: the bytes of one cell
  bool fill_valid = false;   // nullable attributes: false means that the fill value is null
  bool fill_defined = true;  // false: unwritten cells are undefined (zarr's fill value `null`); `fill` is zeros
  std::vector<Filter> filters;
  std::string enumeration;                // name in Schema::enumerations, or empty
  std::vector<std::uint64_t> cell_shape;  // cells that are N-d arrays (bcolz columns); empty: one axis
  std::uint64_t cell_size() const { return values_per_cell == kVar ? 0 : values_per_cell * type.full_size(); }
};

struct Enumeration {
  std::string name;
  Datatype type;
  std::uint32_t values_per_cell = 1;
  bool ordered = false;
  Bytes data;
  std::vector<std::uint64_t> offsets;  // kVar only: the start of each value in `data`
  std::size_t count() const;
  ByteView value(std::size_t i) const;
};

// A dimension label of TileDB: other coordinates along a dimension.
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
  bool table = false;  // a bcolz ctable: a condition selects rows, where in other dense arrays it masks cells
  std::vector<Dimension> dimensions;
  std::vector<Attribute> attributes;
  Order tile_order = Order::row;
  Order cell_order = Order::row;
  std::uint64_t capacity = 10000;  // sparse arrays: cells per tile
  bool allows_duplicates = false;
  std::vector<Filter> coords_filters, offsets_filters, validity_filters;
  std::vector<Enumeration> enumerations;
  std::vector<Label> labels;
  std::optional<std::vector<Range>> current_domain;

  // Cells along each dimension. Throws invalid_argument unless all dimensions are integers or dates.
  std::vector<std::uint64_t> shape() const;
  // Tile extents, clipped to the domain. Throws like shape().
  std::vector<std::uint64_t> chunks() const;
  const Attribute* attribute(std::string_view name) const;  // null when absent
  const Dimension* dimension(std::string_view name) const;
  const Enumeration* enumeration(std::string_view name) const;
};

}  // namespace tegula
