// Fields of schemas in one line.
#pragma once

#include <string>
#include <utility>

#include "format/tiledb/disk/array_schema.h"

namespace tegula::tiledb::testing {

inline SchemaDimension dimension(std::string name, std::uint8_t code, std::uint32_t values_per_cell = 1) {
  SchemaDimension out;
  out.name = std::move(name);
  out.type_code = code;
  out.type = datatype_from_tiledb(code);
  out.values_per_cell = values_per_cell;
  return out;
}

inline SchemaAttribute attribute(std::string name, std::uint8_t code, std::uint32_t values_per_cell = 1) {
  SchemaAttribute out;
  out.name = std::move(name);
  out.type_code = code;
  out.type = datatype_from_tiledb(code);
  out.values_per_cell = values_per_cell;
  return out;
}

}  // namespace tegula::tiledb::testing
