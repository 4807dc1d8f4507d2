#include "capi/schema/schema.h"

#include <algorithm>

#include "capi/core/enums.h"
#include "capi/schema/filters.h"
#include "format/tiledb/disk/schema_model.h"
#include "format/tiledb/disk/versions.h"
#include "format/tiledb/write/schema_check.h"

namespace tegula::capi {

namespace {

tiledb::Pipeline compressed(tiledb::FilterType type) { return {.steps = {{.type = type, .level = -1}}}; }

}  // namespace

SchemaParts::SchemaParts(bool sparse) {
  rest.version = tiledb::kWriteVersion;
  rest.sparse = sparse;
  rest.coords = rest.offsets = compressed(tiledb::FilterType::zstd);
  rest.validity = compressed(tiledb::FilterType::rle);
}

SchemaParts::SchemaParts(const tiledb::ArraySchema& schema, const std::vector<Enumeration>& loaded)
    : rest(schema), dimensions(std::make_shared<Dimensions>()) {
  for (const tiledb::SchemaDimension& dimension : schema.dimensions)
    dimensions->push_back(std::make_shared<tiledb::SchemaDimension>(dimension));
  for (const tiledb::SchemaAttribute& attribute : schema.attributes)
    attributes.push_back(std::make_shared<tiledb::SchemaAttribute>(attribute));
  for (const Enumeration& enumeration : loaded)
    enumerations.push_back(std::make_shared<const Enumeration>(enumeration));
  *current_domain = current_domain_from(schema.current_domain, *dimensions);
  rest.dimensions.clear();
  rest.attributes.clear();
  rest.enumerations.clear();
  rest.current_domain.reset();
}

const tiledb::SchemaAttribute* SchemaParts::attribute(std::string_view name) const {
  const auto at = std::find_if(attributes.begin(), attributes.end(), [&](const auto& a) { return a->name == name; });
  return at == attributes.end() ? nullptr : at->get();
}

const std::shared_ptr<const Enumeration>* SchemaParts::enumeration(std::string_view name) const {
  const auto at =
      std::find_if(enumerations.begin(), enumerations.end(), [&](const auto& e) { return e->name == name; });
  return at == enumerations.end() ? nullptr : &*at;
}

const tiledb::SchemaLabel* SchemaParts::label(std::string_view name) const {
  const auto at = std::find_if(rest.labels.begin(), rest.labels.end(), [&](const auto& l) { return l.name == name; });
  return at == rest.labels.end() ? nullptr : &*at;
}

tiledb::ArraySchema SchemaParts::stored() const {
  if (!dimensions || dimensions->empty()) refuse("ArraySchema: Array schema check failed; Domain not set");
  tiledb::ArraySchema schema = rest;
  for (const auto& dimension : *dimensions) {
    schema.dimensions.push_back(*dimension);
    tiledb::SchemaDimension& stored = schema.dimensions.back();
    if (stored.extent.empty()) stored.extent = whole_extent(stored);
  }
  for (const auto& attribute : attributes) {
    schema.attributes.push_back(*attribute);
    tiledb::set_image_extents(schema.attributes.back().filters, schema.dimensions);
  }
  schema.current_domain = stored_current_domain(*current_domain);
  return schema;
}

std::vector<Enumeration> SchemaParts::stored_enumerations() const {
  std::vector<Enumeration> all;
  for (const auto& enumeration : enumerations) all.push_back(*enumeration);
  return all;
}

void SchemaParts::check() const {
  tiledb::ArraySchema schema = stored();
  const std::vector<Enumeration> all = stored_enumerations();
  for (const Enumeration& enumeration : all) schema.enumerations.emplace_back(enumeration.name, "");
  tiledb::check_new_schema(schema, all);
}

std::string dump(const SchemaParts& schema) {
  std::string text = fmt::format(
      "- Array type: {}\n- Cell order: {}\n- Tile order: {}\n- Capacity: {}\n- Allows duplicates: {}\n- Coordinates "
      "filters: {}\n- Offsets filters: {}\n- Validity filters: {}\n",
      schema.rest.sparse ? "sparse" : "dense", layout_name(layout_of(schema.rest.cell_order)),
      layout_name(layout_of(schema.rest.tile_order)), schema.rest.capacity, schema.rest.allows_duplicates,
      describe(schema.rest.coords), describe(schema.rest.offsets), describe(schema.rest.validity));
  if (schema.dimensions) text += "\n" + dump(*schema.dimensions);
  for (const auto& attribute : schema.attributes) text += "\n" + dump(*attribute);
  for (const auto& enumeration : schema.enumerations)
    text += fmt::format("\n### Enumeration ###\n- Name: {}\n- Element Count: {}\n", enumeration->name,
                        enumeration->count());
  for (const tiledb::SchemaLabel& label : schema.rest.labels)
    text += fmt::format("\n### Dimension Label ###\n- Name: {}\n- Dimension Index: {}\n- Label Data Type: {}\n",
                        label.name, label.dimension, tiledb_name(label.type_code));
  return text + "\n" + dump(*schema.current_domain);
}

}  // namespace tegula::capi
