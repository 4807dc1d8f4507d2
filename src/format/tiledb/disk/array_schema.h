// An array schema as it is stored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/cursor.h"
#include "format/tiledb/disk/filter_pipeline.h"
#include "format/tiledb/disk/nd_range.h"
#include "tegula/schema.h"

namespace tegula::tiledb {

enum class DataOrder : std::uint8_t { unordered = 0, increasing = 1, decreasing = 2 };

struct SchemaDimension {
  std::string name;  // "__dim_0" for an unnamed one of versions 1 to 4
  std::uint8_t type_code = 0;
  Datatype type;
  std::uint32_t values_per_cell = 1;  // 1, or kVar for text
  Pipeline filters;
  Bytes domain;  // lo, hi; empty for text
  Bytes extent;  // one value; empty: none
  bool var() const { return values_per_cell == kVar; }
  DimensionType range_type() const { return {type, var()}; }
};

struct SchemaAttribute {
  std::string name;  // may be empty; "__attr" for an unnamed one of versions 1 to 4
  std::uint8_t type_code = 0;
  Datatype type;
  std::uint32_t values_per_cell = 1;
  Pipeline filters;
  Bytes fill;  // one cell; the default where the version has none
  bool nullable = false;
  bool fill_valid = false;
  DataOrder order = DataOrder::unordered;
  std::string enumeration;  // name, or empty
  bool var() const { return values_per_cell == kVar; }
  std::uint64_t cell_size() const { return var() ? 0 : std::uint64_t{values_per_cell} * type.size; }
};

struct SchemaLabel {
  std::uint32_t dimension = 0;
  std::string name;
  bool relative = true;
  std::string uri;  // "__labels/l0"
  std::string attribute;
  DataOrder order = DataOrder::increasing;
  std::uint8_t type_code = 0;
  Datatype type;
  std::uint32_t values_per_cell = 1;
  bool external = false;
};

struct ArraySchema {
  std::uint32_t version = 0;
  bool allows_duplicates = false;
  bool sparse = false;
  Order tile_order = Order::row;
  Order cell_order = Order::row;
  std::uint64_t capacity = 10000;
  Pipeline coords, offsets, validity;
  std::vector<SchemaDimension> dimensions;
  std::vector<SchemaAttribute> attributes;
  std::vector<SchemaLabel> labels;
  std::vector<std::pair<std::string, std::string>> enumerations;  // name, file below __schema/__enumerations
  std::optional<NdRange> current_domain;

  std::optional<std::size_t> attribute_index(std::string_view name) const;
  std::optional<std::size_t> dimension_index(std::string_view name) const;
  std::vector<DimensionType> range_types() const;
  bool has_var_dimension() const;
  // The filters of a dimension's data: its own, else those of the coordinates.
  const Pipeline& dimension_filters(std::size_t dimension) const;
};

// Consumes the whole payload. Throws corrupt; unsupported for a version that is newer than this build.
ArraySchema decode_schema(Cursor in);
// Encodes in the layout of schema.version.
void encode_schema(const ArraySchema& schema, Bytes& out);

// libtiledb's fill value of one cell for attributes that store none; of one value when cells are variable.
Bytes default_fill(const Datatype& type, std::uint32_t values_per_cell);

}  // namespace tegula::tiledb
