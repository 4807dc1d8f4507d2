#include "format/tiledb/disk/array_schema.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/fail.h"
#include "format/tiledb/disk/versions.h"
#include "format/tiledb/disk/with_type.h"

namespace tegula::tiledb {

namespace {

Datatype read_type(Cursor& in, std::uint8_t& code) {
  code = in.read<std::uint8_t>();
  if (tiledb_name(code).empty()) in.fail_at(in.offset() - 1, fmt::format("datatype {}, expected 0 to 43", code));
  return datatype_from_tiledb(code);
}

std::string read_name(Cursor& in, std::string_view what) { return in.string(in.read<std::uint32_t>(), what); }

Order read_order(Cursor& in, std::string_view what) {
  const std::uint8_t code = in.read<std::uint8_t>();
  if (code > static_cast<std::uint8_t>(Order::hilbert))
    in.fail_at(in.offset() - 1, fmt::format("{} order {}, expected 0 to 4", what, code));
  return static_cast<Order>(code);
}

DataOrder read_data_order(Cursor& in) {
  const std::uint8_t code = in.read<std::uint8_t>();
  if (code > 2) in.fail_at(in.offset() - 1, fmt::format("data order {}, expected 0 to 2", code));
  return static_cast<DataOrder>(code);
}

std::uint32_t read_values_per_cell(Cursor& in) {
  const std::uint32_t values = in.read<std::uint32_t>();
  if (values == 0) in.fail_at(in.offset() - 4, "cells of 0 values, expected 1 or more");
  return values;
}

// Readers divide by extents and count with domains: values that make no sense are refused here.
void check_dimension(const Cursor& in, const SchemaDimension& dimension) {
  if (dimension.var()) return;
  if (!is_number(dimension.type))
    in.fail("dimension '{}' has fixed-size values of type {}, expected numbers or dates", dimension.name,
            display_name(dimension.type));
  with_number(dimension.type, [&]<class T>(T) {
    const T low = load_le<T>(dimension.domain.data());
    const T high = load_le<T>(dimension.domain.data() + sizeof(T));
    if (!(low <= high)) in.fail("dimension '{}' has the domain [{}, {}]", dimension.name, low, high);
    if (dimension.extent.empty()) return;
    const T extent = load_le<T>(dimension.extent.data());
    if (!(extent > 0)) in.fail("dimension '{}' has a tile extent of {}", dimension.name, extent);
  });
}

SchemaDimension decode_dimension(Cursor& in, std::uint32_t version, std::uint8_t domain_code,
                                 const Datatype& domain_type) {
  SchemaDimension dimension;
  dimension.name = read_name(in, "the name of a dimension");
  if (schema_has_typed_dimensions(version)) {
    dimension.type = read_type(in, dimension.type_code);
    dimension.values_per_cell = read_values_per_cell(in);
    dimension.filters = decode_pipeline(in);
    const std::uint64_t size = in.read<std::uint64_t>();
    const std::uint64_t expected = dimension.var() ? 0 : 2 * std::uint64_t{dimension.type.size};
    if (dimension.values_per_cell != 1 && !dimension.var())
      in.fail("dimension '{}' has {} values per cell, expected 1", dimension.name, dimension.values_per_cell);
    if (size != expected)
      in.fail("dimension '{}' has a domain of {} bytes, expected {}", dimension.name, size, expected);
  } else {
    dimension.type_code = domain_code;
    dimension.type = domain_type;
  }
  if (!dimension.var()) dimension.domain = copy_of(in.bytes(2 * std::uint64_t{dimension.type.size}, "a domain"));
  const bool no_extent = in.read<std::uint8_t>() != 0;
  if (!no_extent) dimension.extent = copy_of(in.bytes(dimension.type.size, "a tile extent"));
  check_dimension(in, dimension);
  return dimension;
}

// Versions before 6 do not store fill values. A damaged cell size must not decide how much memory their default takes.
constexpr std::uint64_t kMostDefaultFill = 16 << 20;

SchemaAttribute decode_attribute(Cursor& in, std::uint32_t version, std::uint64_t& default_fill_bytes) {
  SchemaAttribute attribute;
  attribute.name = read_name(in, "the name of an attribute");
  attribute.type = read_type(in, attribute.type_code);
  attribute.values_per_cell = read_values_per_cell(in);
  attribute.filters = decode_pipeline(in);
  if (schema_has_fill(version)) {
    attribute.fill = copy_of(in.bytes(in.read<std::uint64_t>(), "a fill value"));
    if (!attribute.var() && attribute.fill.size() != attribute.cell_size())
      in.fail("attribute '{}' has a fill value of {} bytes, expected {}", attribute.name, attribute.fill.size(),
              attribute.cell_size());
  } else {
    default_fill_bytes += attribute.cell_size();
    if (default_fill_bytes > kMostDefaultFill)
      in.fail("attribute '{}' has cells of {} bytes", attribute.name, attribute.cell_size());
    attribute.fill = default_fill(attribute.type, attribute.values_per_cell);
  }
  if (schema_has_nullable(version)) {
    attribute.nullable = in.read<std::uint8_t>() != 0;
    attribute.fill_valid = in.read<std::uint8_t>() != 0;
  }
  if (schema_has_attribute_order(version)) attribute.order = read_data_order(in);
  if (schema_has_enumerations(version)) attribute.enumeration = read_name(in, "the name of an enumeration");
  return attribute;
}

SchemaLabel decode_label(Cursor& in, std::size_t dimensions) {
  SchemaLabel label;
  label.dimension = in.read<std::uint32_t>();
  if (label.dimension >= dimensions)
    in.fail("a label of dimension {}, found {} dimensions", label.dimension, dimensions);
  label.name = read_name(in, "the name of a label");
  label.relative = in.read<std::uint8_t>() != 0;
  label.uri = in.string(in.read<std::uint64_t>(), "the place of a label");
  label.attribute = read_name(in, "the attribute of a label");
  label.order = read_data_order(in);
  label.type = read_type(in, label.type_code);
  label.values_per_cell = read_values_per_cell(in);
  label.external = in.read<std::uint8_t>() != 0;
  return label;
}

std::optional<NdRange> decode_current_domain(Cursor& in, const ArraySchema& schema) {
  const std::uint32_t version = in.read<std::uint32_t>();
  if (version != 0)
    fail(ErrorKind::unsupported, "{}: a current domain of version {}, this build reads 0", in.name(), version);
  if (in.read<std::uint8_t>() != 0) return std::nullopt;  // empty
  const std::uint8_t kind = in.read<std::uint8_t>();
  if (kind != 0)
    fail(ErrorKind::unsupported, "{}: a current domain of kind {}, this build reads rectangles (0)", in.name(), kind);
  return decode_nd_range(in, schema.range_types());
}

void check_schema(const Cursor& in, const ArraySchema& schema) {
  if (schema.dimensions.empty()) in.fail("a schema without dimensions");
  if (schema.capacity == 0) in.fail("a capacity of 0 cells per tile");
  if (schema.sparse) return;
  for (const SchemaDimension& dimension : schema.dimensions)
    if (dimension.var() || dimension.type.is_float())
      in.fail("dimension '{}' of a dense array has type {}", dimension.name, display_name(dimension.type));
}

void write_name(ByteWriter& writer, std::string_view name) {
  writer.put(static_cast<std::uint32_t>(name.size()));
  writer.text(name);
}

}  // namespace

std::optional<std::size_t> ArraySchema::attribute_index(std::string_view name) const {
  for (std::size_t i = 0; i < attributes.size(); ++i)
    if (attributes[i].name == name) return i;
  return std::nullopt;
}

std::optional<std::size_t> ArraySchema::dimension_index(std::string_view name) const {
  for (std::size_t i = 0; i < dimensions.size(); ++i)
    if (dimensions[i].name == name) return i;
  return std::nullopt;
}

std::vector<DimensionType> ArraySchema::range_types() const {
  std::vector<DimensionType> types;
  for (const SchemaDimension& dimension : dimensions) types.push_back(dimension.range_type());
  return types;
}

bool ArraySchema::has_var_dimension() const {
  return std::any_of(dimensions.begin(), dimensions.end(),
                     [](const SchemaDimension& dimension) { return dimension.var(); });
}

const Pipeline& ArraySchema::dimension_filters(std::size_t dimension) const {
  const Pipeline& own = dimensions[dimension].filters;
  return own.steps.empty() ? coords : own;
}

ArraySchema decode_schema(Cursor in) {
  ArraySchema schema;
  schema.version = in.read<std::uint32_t>();
  if (schema.version == 0) in.fail("a schema of format version 0");
  if (schema.version > kNewestVersion)
    fail(ErrorKind::unsupported, "{}: the schema has format version {}, this build reads {} to {}; {}", in.name(),
         schema.version, kOldestVersion, kNewestVersion,
         schema.version >> 31 ? "it was written by an experimental build" : "a newer tegula may read it");
  const std::uint32_t version = schema.version;
  if (schema_has_duplicates_flag(version)) schema.allows_duplicates = in.read<std::uint8_t>() != 0;
  const std::uint8_t kind = in.read<std::uint8_t>();
  if (kind > 1) in.fail("array type {}, expected 0 (dense) or 1 (sparse)", kind);
  schema.sparse = kind == 1;
  schema.tile_order = read_order(in, "tile");
  schema.cell_order = read_order(in, "cell");
  schema.capacity = in.read<std::uint64_t>();
  schema.coords = decode_pipeline(in);
  schema.offsets = decode_pipeline(in);
  if (schema_has_nullable(version)) schema.validity = decode_pipeline(in);
  std::uint8_t domain_code = 0;
  Datatype domain_type;
  if (!schema_has_typed_dimensions(version)) domain_type = read_type(in, domain_code);
  const std::uint64_t dimensions = in.count<std::uint32_t>(5, "dimensions");
  for (std::uint64_t i = 0; i < dimensions; ++i)
    schema.dimensions.push_back(decode_dimension(in, version, domain_code, domain_type));
  const std::uint64_t attributes = in.count<std::uint32_t>(17, "attributes");
  std::uint64_t default_fill_bytes = 0;
  for (std::uint64_t i = 0; i < attributes; ++i)
    schema.attributes.push_back(decode_attribute(in, version, default_fill_bytes));
  if (schema_has_labels(version)) {
    const std::uint64_t labels = in.count<std::uint32_t>(28, "labels");
    for (std::uint64_t i = 0; i < labels; ++i) schema.labels.push_back(decode_label(in, schema.dimensions.size()));
  }
  if (schema_has_enumerations(version)) {
    const std::uint64_t enumerations = in.count<std::uint32_t>(8, "enumerations");
    for (std::uint64_t i = 0; i < enumerations; ++i) {
      std::string name = read_name(in, "the name of an enumeration");
      std::string file = read_name(in, "the file of an enumeration");
      schema.enumerations.emplace_back(std::move(name), std::move(file));
    }
  }
  if (schema_has_current_domain(version)) schema.current_domain = decode_current_domain(in, schema);
  in.expect_end("the schema");
  check_schema(in, schema);
  return schema;
}

void encode_schema(const ArraySchema& schema, Bytes& out) {
  const std::uint32_t version = schema.version;
  ByteWriter writer(out);
  writer.put(version);
  if (schema_has_duplicates_flag(version)) writer.put(static_cast<std::uint8_t>(schema.allows_duplicates));
  writer.put(static_cast<std::uint8_t>(schema.sparse));
  writer.put(static_cast<std::uint8_t>(schema.tile_order));
  writer.put(static_cast<std::uint8_t>(schema.cell_order));
  writer.put(schema.capacity);
  encode_pipeline(schema.coords, version, out);
  encode_pipeline(schema.offsets, version, out);
  if (schema_has_nullable(version)) encode_pipeline(schema.validity, version, out);
  if (!schema_has_typed_dimensions(version)) writer.put(schema.dimensions.at(0).type_code);
  writer.put(static_cast<std::uint32_t>(schema.dimensions.size()));
  for (const SchemaDimension& dimension : schema.dimensions) {
    write_name(writer, dimension.name);
    if (schema_has_typed_dimensions(version)) {
      writer.put(dimension.type_code);
      writer.put(dimension.values_per_cell);
      encode_pipeline(dimension.filters, version, out);
      writer.put(std::uint64_t{dimension.domain.size()});
    }
    writer.bytes(dimension.domain);
    writer.put(static_cast<std::uint8_t>(dimension.extent.empty()));
    writer.bytes(dimension.extent);
  }
  writer.put(static_cast<std::uint32_t>(schema.attributes.size()));
  for (const SchemaAttribute& attribute : schema.attributes) {
    write_name(writer, attribute.name);
    writer.put(attribute.type_code);
    writer.put(attribute.values_per_cell);
    encode_pipeline(attribute.filters, version, out);
    if (schema_has_fill(version)) {
      writer.put(std::uint64_t{attribute.fill.size()});
      writer.bytes(attribute.fill);
    }
    if (schema_has_nullable(version)) {
      writer.put(static_cast<std::uint8_t>(attribute.nullable));
      writer.put(static_cast<std::uint8_t>(attribute.fill_valid));
    }
    if (schema_has_attribute_order(version)) writer.put(static_cast<std::uint8_t>(attribute.order));
    if (schema_has_enumerations(version)) write_name(writer, attribute.enumeration);
  }
  if (schema_has_labels(version)) {
    writer.put(static_cast<std::uint32_t>(schema.labels.size()));
    for (const SchemaLabel& label : schema.labels) {
      writer.put(label.dimension);
      write_name(writer, label.name);
      writer.put(static_cast<std::uint8_t>(label.relative));
      writer.put(std::uint64_t{label.uri.size()});
      writer.text(label.uri);
      write_name(writer, label.attribute);
      writer.put(static_cast<std::uint8_t>(label.order));
      writer.put(label.type_code);
      writer.put(label.values_per_cell);
      writer.put(static_cast<std::uint8_t>(label.external));
    }
  }
  if (schema_has_enumerations(version)) {
    writer.put(static_cast<std::uint32_t>(schema.enumerations.size()));
    for (const auto& [name, file] : schema.enumerations) {
      write_name(writer, name);
      write_name(writer, file);
    }
  }
  if (schema_has_current_domain(version)) {
    writer.put(std::uint32_t{0});
    writer.put(static_cast<std::uint8_t>(!schema.current_domain));
    if (schema.current_domain) {
      writer.put(std::uint8_t{0});
      encode_nd_range(*schema.current_domain, schema.range_types(), out);
    }
  }
}

// The minimum of signed integers, the maximum of unsigned ones, a quiet NaN; 0 for booleans, bytes and text but CHAR.
Bytes default_fill(const Datatype& type, std::uint32_t values_per_cell) {
  Bytes one;
  ByteWriter writer(one);
  if (type.id == TypeId::character) {
    writer.put(std::numeric_limits<std::int8_t>::min());
  } else if (type.id == TypeId::boolean || !is_number(type)) {
    writer.zeros(type.size);
  } else {
    with_number(type, [&]<class T>(T) {
      if constexpr (std::is_floating_point_v<T>) {
        writer.put(std::numeric_limits<T>::quiet_NaN());
      } else {
        writer.put(std::is_signed_v<T> ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max());
      }
    });
  }
  const std::uint32_t repeat = values_per_cell == kVar ? 1 : values_per_cell;
  Bytes fill(std::uint64_t{repeat} * type.size);
  for (std::size_t at = 0; at < fill.size(); at += one.size()) std::memcpy(fill.data() + at, one.data(), one.size());
  return fill;
}

}  // namespace tegula::tiledb
