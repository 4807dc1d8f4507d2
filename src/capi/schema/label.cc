#include "capi/schema/label.h"

#include "capi/core/context.h"
#include "capi/core/enums.h"
#include "capi/schema/schema.h"

namespace tegula::capi {

namespace {

void give_label(const SchemaParts& schema, const tiledb::SchemaLabel& label, LabelHandle** handle) {
  const bool inside = label.relative && !schema.uri.empty();
  give(handle, LabelHandle{label, inside ? schema.uri + "/" + label.uri : label.uri});
}

}  // namespace

TEGULA_CAPI std::int32_t tiledb_array_schema_add_dimension_label(ContextHandle* context, SchemaHandle* handle,
                                                                 std::uint32_t dimension, const char* name,
                                                                 std::int32_t order, std::int32_t type) {
  return enter(context, [&](const auto&) {
    SchemaParts& schema = schema_of(handle);
    if (!schema.dimensions)
      refuse("ArraySchema: Cannot add dimension label; Must set domain before adding dimension labels.");
    checked_index(*schema.dimensions, dimension);
    tiledb::SchemaLabel label;
    label.name = given(name, "label name");
    if (schema.label(label.name) || schema.attribute(label.name))
      refuse("ArraySchema: Cannot add a dimension label with name '{}'. It is the name of another field.", label.name);
    for (const auto& other : *schema.dimensions)
      if (other->name == label.name)
        refuse("ArraySchema: Cannot add a dimension label with name '{}'. It is the name of a dimension.", label.name);
    if (order != 1 && order != 2)
      refuse("DimensionLabel: Cannot create dimension label; Invalid label order {}.", order);
    label.dimension = dimension;
    label.uri = fmt::format("__labels/l{}", schema.rest.labels.size());
    label.attribute = "label";
    label.order = static_cast<tiledb::DataOrder>(order);
    label.type = datatype_of(type);
    label.type_code = static_cast<std::uint8_t>(type);
    label.values_per_cell = label.type.id == TypeId::ascii ? kVar : 1;
    schema.rest.labels.push_back(std::move(label));
  });
}

TEGULA_CAPI std::int32_t tiledb_array_schema_has_dimension_label(ContextHandle* context, const SchemaHandle* handle,
                                                                 const char* name, std::int32_t* has) {
  return enter(context, [&](const auto&) { out(has) = schema_of(handle).label(given(name, "label name")) ? 1 : 0; });
}

TEGULA_CAPI std::int32_t tiledb_array_schema_get_dimension_label_num(ContextHandle* context, SchemaHandle* handle,
                                                                     std::uint64_t* count) {
  return enter(context, [&](const auto&) { out(count) = schema_of(handle).rest.labels.size(); });
}

TEGULA_CAPI std::int32_t tiledb_array_schema_get_dimension_label_from_index(ContextHandle* context,
                                                                            SchemaHandle* handle, std::uint64_t index,
                                                                            LabelHandle** label) {
  return enter(context, [&](const auto&) {
    const SchemaParts& schema = schema_of(handle);
    if (index >= schema.rest.labels.size())
      refuse("ArraySchema: dimension label {} out of bounds, there are {}", index, schema.rest.labels.size());
    give_label(schema, schema.rest.labels[static_cast<std::size_t>(index)], label);
  });
}

TEGULA_CAPI std::int32_t tiledb_array_schema_get_dimension_label_from_name(ContextHandle* context, SchemaHandle* handle,
                                                                           const char* name, LabelHandle** label) {
  return enter(context, [&](const auto&) {
    const tiledb::SchemaLabel* found = schema_of(handle).label(given(name, "label name"));
    if (!found) refuse("ArraySchema: Cannot get dimension label. No dimension label with name '{}'.", name);
    give_label(schema_of(handle), *found, label);
  });
}

TEGULA_CAPI void tiledb_dimension_label_free(LabelHandle** label) { free_handle(label); }

TEGULA_CAPI std::int32_t tiledb_dimension_label_get_name(ContextHandle* context, LabelHandle* label,
                                                         const char** name) {
  return enter(context, [&](const auto&) { out(name) = checked(label).label.name.c_str(); });
}

TEGULA_CAPI std::int32_t tiledb_dimension_label_get_uri(ContextHandle* context, LabelHandle* label, const char** uri) {
  return enter(context, [&](const auto&) { out(uri) = checked(label).uri.c_str(); });
}

TEGULA_CAPI std::int32_t tiledb_dimension_label_get_label_attr_name(ContextHandle* context, LabelHandle* label,
                                                                    const char** name) {
  return enter(context, [&](const auto&) { out(name) = checked(label).label.attribute.c_str(); });
}

TEGULA_CAPI std::int32_t tiledb_dimension_label_get_dimension_index(ContextHandle* context, LabelHandle* label,
                                                                    std::uint32_t* index) {
  return enter(context, [&](const auto&) { out(index) = checked(label).label.dimension; });
}

TEGULA_CAPI std::int32_t tiledb_dimension_label_get_label_cell_val_num(ContextHandle* context, LabelHandle* label,
                                                                       std::uint32_t* count) {
  return enter(context, [&](const auto&) { out(count) = checked(label).label.values_per_cell; });
}

TEGULA_CAPI std::int32_t tiledb_dimension_label_get_label_order(ContextHandle* context, LabelHandle* label,
                                                                std::int32_t* order) {
  return enter(context, [&](const auto&) { out(order) = static_cast<std::int32_t>(checked(label).label.order); });
}

TEGULA_CAPI std::int32_t tiledb_dimension_label_get_label_type(ContextHandle* context, LabelHandle* label,
                                                               std::int32_t* type) {
  return enter(context, [&](const auto&) { out(type) = checked(label).label.type_code; });
}

}  // namespace tegula::capi
