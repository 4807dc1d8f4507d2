#include "format/tiledb/disk/schema_model.h"

#include <algorithm>
#include <utility>

#include "base/fail.h"
#include "format/tiledb/disk/versions.h"

namespace tegula::tiledb {

namespace {

std::uint8_t code_of(const Datatype& type, std::string_view name) {
  const std::optional<std::uint8_t> code = tiledb_code(type);
  if (!code) fail(ErrorKind::invalid_argument, "field '{}': TileDB has no type {}", name, display_name(type));
  return *code;
}

// Versions before 5 have one list of filters for all coordinates, which is not shown again for each dimension.
std::vector<Filter> shown_filters(const ArraySchema& schema, std::size_t dimension) {
  return to_model(schema_has_typed_dimensions(schema.version) ? schema.dimension_filters(dimension)
                                                              : schema.dimensions[dimension].filters);
}

SchemaDimension dimension_from_model(const Dimension& dimension) {
  SchemaDimension stored;
  stored.name = dimension.name;
  stored.type = dimension.type;
  stored.type_code = code_of(dimension.type, dimension.name);
  stored.values_per_cell = dimension.values_per_cell;
  stored.filters = from_model(dimension.filters);
  if (stored.var()) return stored;
  value_to_bytes(dimension.type, dimension.domain.low, stored.domain);
  value_to_bytes(dimension.type, dimension.domain.high, stored.domain);
  if (!std::holds_alternative<std::monostate>(dimension.tile))
    value_to_bytes(dimension.type, dimension.tile, stored.extent);
  return stored;
}

std::uint16_t image_extent(const SchemaDimension& dimension) {
  const Value extent = value_from_bytes(dimension.type, dimension.extent);
  const auto* i = std::get_if<std::int64_t>(&extent);
  const auto* u = std::get_if<std::uint64_t>(&extent);
  const std::uint64_t size = i ? static_cast<std::uint64_t>(*i) : u ? *u : 0;
  if (size == 0 || size > UINT16_MAX)
    fail(ErrorKind::invalid_argument, "filter webp: dimension '{}' needs a tile extent of 1 to 65535", dimension.name);
  return static_cast<std::uint16_t>(size);
}

}  // namespace

void set_image_extents(Pipeline& pipeline, const std::vector<SchemaDimension>& dimensions) {
  for (FilterStep& step : pipeline.steps) {
    if (step.type != FilterType::webp) continue;
    if (dimensions.size() != 2)
      fail(ErrorKind::invalid_argument, "filter webp needs an array of 2 dimensions, not {}", dimensions.size());
    step.rows = image_extent(dimensions[0]);
    step.row_bytes = image_extent(dimensions[1]);
  }
}

Schema to_model(const ArraySchema& schema, std::vector<Enumeration> enumerations) {
  Schema model;
  model.format = "tiledb";
  model.format_version = schema.version;
  model.sparse = schema.sparse;
  model.tile_order = schema.tile_order;
  model.cell_order = schema.cell_order;
  model.capacity = schema.capacity;
  model.allows_duplicates = schema.allows_duplicates;
  model.coords_filters = to_model(schema.coords);
  model.offsets_filters = to_model(schema.offsets);
  model.validity_filters = to_model(schema.validity);
  model.enumerations = std::move(enumerations);
  model.current_domain = schema.current_domain;
  for (std::size_t i = 0; i < schema.dimensions.size(); ++i) {
    const SchemaDimension& stored = schema.dimensions[i];
    Dimension dimension;
    dimension.name = stored.name;
    dimension.type = stored.type;
    dimension.values_per_cell = stored.values_per_cell;
    if (!stored.var()) {
      const ByteView domain = stored.domain;
      dimension.domain = {value_from_bytes(stored.type, domain.first(stored.type.size)),
                          value_from_bytes(stored.type, domain.last(stored.type.size))};
      if (!stored.extent.empty()) dimension.tile = value_from_bytes(stored.type, stored.extent);
    }
    dimension.filters = shown_filters(schema, i);
    model.dimensions.push_back(std::move(dimension));
  }
  for (const SchemaAttribute& stored : schema.attributes) {
    Attribute attribute;
    attribute.name = stored.name;
    attribute.type = stored.type;
    attribute.values_per_cell = stored.values_per_cell;
    attribute.nullable = stored.nullable;
    attribute.fill = stored.fill;
    attribute.fill_valid = stored.fill_valid;
    attribute.filters = to_model(stored.filters);
    attribute.enumeration = stored.enumeration;
    model.attributes.push_back(std::move(attribute));
  }
  for (const SchemaLabel& stored : schema.labels) {
    Label label;
    label.name = stored.name;
    label.dimension = stored.dimension;
    label.type = stored.type;
    label.values_per_cell = stored.values_per_cell;
    label.increasing = stored.order != DataOrder::decreasing;
    model.labels.push_back(std::move(label));
  }
  return model;
}

ArraySchema from_model(const Schema& model, std::uint32_t version) {
  ArraySchema schema;
  schema.version = version;
  schema.allows_duplicates = model.allows_duplicates;
  schema.sparse = model.sparse;
  schema.tile_order = model.tile_order;
  schema.cell_order = model.cell_order;
  schema.capacity = model.capacity;
  schema.coords = from_model(model.coords_filters);
  schema.offsets = from_model(model.offsets_filters);
  schema.validity = from_model(model.validity_filters);
  schema.current_domain = model.current_domain;
  for (const Dimension& dimension : model.dimensions) schema.dimensions.push_back(dimension_from_model(dimension));
  for (const Attribute& attribute : model.attributes) {
    SchemaAttribute stored;
    stored.name = attribute.name;
    stored.type = attribute.type;
    stored.type_code = code_of(attribute.type, attribute.name);
    stored.values_per_cell = attribute.values_per_cell;
    stored.filters = from_model(attribute.filters);
    set_image_extents(stored.filters, schema.dimensions);
    stored.fill = attribute.fill.empty() ? default_fill(stored.type, stored.values_per_cell) : attribute.fill;
    if (!stored.var() && stored.fill.size() != stored.cell_size())
      fail(ErrorKind::invalid_argument, "attribute '{}': a fill value of {} bytes, expected {}", stored.name,
           stored.fill.size(), stored.cell_size());
    stored.nullable = attribute.nullable;
    stored.fill_valid = attribute.fill_valid;
    stored.enumeration = attribute.enumeration;
    schema.attributes.push_back(std::move(stored));
  }
  for (std::size_t i = 0; i < model.labels.size(); ++i) {
    const Label& label = model.labels[i];
    SchemaLabel stored;
    stored.dimension = label.dimension;
    stored.name = label.name;
    stored.uri = fmt::format("__labels/l{}", i);
    stored.attribute = "label";
    stored.order = label.increasing ? DataOrder::increasing : DataOrder::decreasing;
    stored.type = label.type;
    stored.type_code = code_of(label.type, label.name);
    stored.values_per_cell = label.values_per_cell;
    schema.labels.push_back(std::move(stored));
  }
  return schema;
}

}  // namespace tegula::tiledb
