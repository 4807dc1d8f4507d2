#include <algorithm>

#include "capi/core/context.h"
#include "capi/core/enums.h"
#include "capi/core/text.h"
#include "capi/schema/filters.h"
#include "capi/schema/schema.h"

namespace tegula::capi {

namespace {

void new_schema(std::int32_t type, std::uint64_t time, SchemaHandle** handle) {
  if (type != 0 && type != 1) refuse("C API: Invalid array type {}", type);
  auto schema = std::make_shared<SchemaParts>(type == 1);
  schema->first_time = schema->last_time = time;
  give(handle, SchemaHandle{std::move(schema)});
}

}  // namespace

TEGULA_CAPI std::int32_t tiledb_array_schema_alloc(ContextHandle* context, std::int32_t type, SchemaHandle** handle) {
  return enter(context, [&](const auto&) { new_schema(type, 0, handle); });
}

TEGULA_CAPI std::int32_t tiledb_array_schema_alloc_at_timestamp(ContextHandle* context, std::int32_t type,
                                                                std::uint64_t time, SchemaHandle** handle) {
  return enter(context, [&](const auto&) { new_schema(type, time, handle); });
}

TEGULA_CAPI void tiledb_array_schema_free(SchemaHandle** handle) { free_handle(handle); }

TEGULA_CAPI std::int32_t tiledb_array_schema_timestamp_range(ContextHandle* context, SchemaHandle* handle,
                                                             std::uint64_t* first, std::uint64_t* last) {
  return enter(context, [&](const auto&) {
    out(first) = schema_of(handle).first_time;
    out(last) = schema_of(handle).last_time;
  });
}

TEGULA_CAPI std::int32_t tiledb_array_schema_check(ContextHandle* context, SchemaHandle* handle) {
  return enter(context, [&](const auto&) { schema_of(handle).check(); });
}

TEGULA_CAPI std::int32_t tiledb_array_schema_dump_str(ContextHandle* context, const SchemaHandle* handle,
                                                      TextHandle** text) {
  return enter(context, [&](const auto&) { give(text, TextHandle{dump(schema_of(handle))}); });
}

TEGULA_CAPI std::int32_t tiledb_array_schema_get_array_type(ContextHandle* context, const SchemaHandle* handle,
                                                            std::int32_t* type) {
  return enter(context, [&](const auto&) { out(type) = schema_of(handle).rest.sparse ? 1 : 0; });
}

TEGULA_CAPI std::int32_t tiledb_array_schema_get_version(ContextHandle* context, SchemaHandle* handle,
                                                         std::uint32_t* version) {
  return enter(context, [&](const auto&) { out(version) = schema_of(handle).rest.version; });
}

TEGULA_CAPI std::int32_t tiledb_array_schema_set_allows_dups(ContextHandle* context, SchemaHandle* handle, int allows) {
  return enter(context, [&](const auto&) {
    SchemaParts& schema = schema_of(handle);
    if (allows != 0 && !schema.rest.sparse) refuse("ArraySchema: Dense arrays cannot allow coordinate duplicates");
    schema.rest.allows_duplicates = allows != 0;
  });
}

TEGULA_CAPI std::int32_t tiledb_array_schema_get_allows_dups(ContextHandle* context, SchemaHandle* handle,
                                                             int* allows) {
  return enter(context, [&](const auto&) { out(allows) = schema_of(handle).rest.allows_duplicates ? 1 : 0; });
}

TEGULA_CAPI std::int32_t tiledb_array_schema_set_capacity(ContextHandle* context, SchemaHandle* handle,
                                                          std::uint64_t capacity) {
  return enter(context, [&](const auto&) {
    if (capacity == 0) refuse("ArraySchema: Sparse arrays cannot have their capacity equal to zero.");
    schema_of(handle).rest.capacity = capacity;
  });
}

TEGULA_CAPI std::int32_t tiledb_array_schema_get_capacity(ContextHandle* context, const SchemaHandle* handle,
                                                          std::uint64_t* capacity) {
  return enter(context, [&](const auto&) { out(capacity) = schema_of(handle).rest.capacity; });
}

TEGULA_CAPI std::int32_t tiledb_array_schema_set_cell_order(ContextHandle* context, SchemaHandle* handle,
                                                            std::int32_t layout) {
  return enter(context, [&](const auto&) {
    SchemaParts& schema = schema_of(handle);
    const Order order = order_of(layout);
    if (order == Order::hilbert && !schema.rest.sparse)
      refuse("ArraySchema: Cannot set cell order; Hilbert order is only applicable to sparse arrays");
    if (order == Order::global || order == Order::unordered)
      refuse("ArraySchema: Cannot set cell order; Cannot set {} order as cell order", layout_name(layout));
    schema.rest.cell_order = order;
  });
}

TEGULA_CAPI std::int32_t tiledb_array_schema_get_cell_order(ContextHandle* context, const SchemaHandle* handle,
                                                            std::int32_t* layout) {
  return enter(context, [&](const auto&) { out(layout) = layout_of(schema_of(handle).rest.cell_order); });
}

TEGULA_CAPI std::int32_t tiledb_array_schema_set_tile_order(ContextHandle* context, SchemaHandle* handle,
                                                            std::int32_t layout) {
  return enter(context, [&](const auto&) {
    const Order order = order_of(layout);
    if (order == Order::hilbert) refuse("ArraySchema: Cannot set tile order; Hilbert order is not applicable to tiles");
    if (order == Order::global || order == Order::unordered)
      refuse("ArraySchema: Cannot set tile order; Cannot set {} order as tile order", layout_name(layout));
    schema_of(handle).rest.tile_order = order;
  });
}

TEGULA_CAPI std::int32_t tiledb_array_schema_get_tile_order(ContextHandle* context, const SchemaHandle* handle,
                                                            std::int32_t* layout) {
  return enter(context, [&](const auto&) { out(layout) = layout_of(schema_of(handle).rest.tile_order); });
}

#define TEGULA_SCHEMA_FILTERS(which)                                                                                   \
  TEGULA_CAPI std::int32_t tiledb_array_schema_set_##which##_filter_list(ContextHandle* context, SchemaHandle* handle, \
                                                                         FilterListHandle* list) {                     \
    return enter(context, [&](const auto&) { schema_of(handle).rest.which = checked(list).filters; });                 \
  }                                                                                                                    \
  TEGULA_CAPI std::int32_t tiledb_array_schema_get_##which##_filter_list(ContextHandle* context, SchemaHandle* handle, \
                                                                         FilterListHandle** list) {                    \
    return enter(context, [&](const auto&) { give(list, FilterListHandle{schema_of(handle).rest.which}); });           \
  }
TEGULA_SCHEMA_FILTERS(coords)
TEGULA_SCHEMA_FILTERS(offsets)
TEGULA_SCHEMA_FILTERS(validity)
#undef TEGULA_SCHEMA_FILTERS

TEGULA_CAPI std::int32_t tiledb_array_schema_set_domain(ContextHandle* context, SchemaHandle* handle,
                                                        DomainHandle* domain) {
  return enter(context, [&](const auto&) {
    SchemaParts& schema = schema_of(handle);
    const std::shared_ptr<Dimensions>& dimensions = checked(domain).dimensions;
    if (dimensions->empty()) refuse("ArraySchema: Cannot set domain; Domain must have at least one dimension");
    if (!schema.rest.sparse) {
      for (const auto& dimension : *dimensions) {
        if (dimension->var()) refuse("ArraySchema: Cannot set domain; Dense arrays do not support string dimensions");
        if (dimension->type_code != dimensions->front()->type_code)
          refuse("ArraySchema: Cannot set domain; In dense arrays, all dimensions must have the same datatype");
        if (dimension->type.is_float())
          refuse("ArraySchema: Cannot set domain; Dense arrays do not support dimension datatype '{}'",
                 tiledb_name(dimension->type_code));
      }
    }
    schema.dimensions = dimensions;
  });
}

TEGULA_CAPI std::int32_t tiledb_array_schema_get_domain(ContextHandle* context, const SchemaHandle* handle,
                                                        DomainHandle** domain) {
  return enter(context, [&](const auto&) {
    const auto& dimensions = schema_of(handle).dimensions;
    if (!dimensions) refuse("ArraySchema: Cannot get domain; it is not set");
    give(domain, DomainHandle{dimensions});
  });
}

TEGULA_CAPI std::int32_t tiledb_array_schema_add_attribute(ContextHandle* context, SchemaHandle* handle,
                                                           AttributeHandle* attribute) {
  return enter(context, [&](const auto&) {
    SchemaParts& schema = schema_of(handle);
    const auto& added = checked(attribute).attribute;
    if (added->name.starts_with("__"))
      refuse("ArraySchema: Cannot add attribute; Attribute names must not begin with __");
    if (!added->enumeration.empty() && !schema.enumeration(added->enumeration))
      refuse("ArraySchema: Cannot add attribute; Attribute refers to an unknown enumeration");
    if (!added->enumeration.empty() && !added->type.is_integer())
      refuse("ArraySchema: Attribute '{}' has an enumeration, but its datatype {} is not an integer", added->name,
             tiledb_name(added->type_code));
    schema.attributes.push_back(added);
  });
}

TEGULA_CAPI std::int32_t tiledb_array_schema_get_attribute_num(ContextHandle* context, const SchemaHandle* handle,
                                                               std::uint32_t* count) {
  return enter(context,
               [&](const auto&) { out(count) = static_cast<std::uint32_t>(schema_of(handle).attributes.size()); });
}

TEGULA_CAPI std::int32_t tiledb_array_schema_get_attribute_from_index(ContextHandle* context,
                                                                      const SchemaHandle* handle, std::uint32_t index,
                                                                      AttributeHandle** attribute) {
  return enter(context, [&](const auto&) {
    const auto& attributes = schema_of(handle).attributes;
    out(attribute) = nullptr;
    if (attributes.empty() && index == 0) return;
    if (index >= attributes.size())
      refuse("C API: Attribute index: {} out of bounds, array schema has {} attributes", index, attributes.size());
    give(attribute, AttributeHandle{attributes[index]});
  });
}

TEGULA_CAPI std::int32_t tiledb_array_schema_get_attribute_from_name(ContextHandle* context, const SchemaHandle* handle,
                                                                     const char* name, AttributeHandle** attribute) {
  return enter(context, [&](const auto&) {
    const auto& attributes = schema_of(handle).attributes;
    const std::string_view wanted = given(name, "attribute name");
    out(attribute) = nullptr;
    const auto at =
        std::find_if(attributes.begin(), attributes.end(), [&](const auto& a) { return a->name == wanted; });
    if (at == attributes.end()) refuse("C API: Attribute name: '{}' does not exist for the array schema", wanted);
    give(attribute, AttributeHandle{*at});
  });
}

TEGULA_CAPI std::int32_t tiledb_array_schema_has_attribute(ContextHandle* context, const SchemaHandle* handle,
                                                           const char* name, std::int32_t* has) {
  return enter(context,
               [&](const auto&) { out(has) = schema_of(handle).attribute(given(name, "attribute name")) ? 1 : 0; });
}

TEGULA_CAPI std::int32_t tiledb_array_schema_add_enumeration(ContextHandle* context, SchemaHandle* handle,
                                                             EnumerationHandle* enumeration) {
  return enter(context, [&](const auto&) {
    SchemaParts& schema = schema_of(handle);
    const auto& added = checked(enumeration).enumeration;
    if (schema.enumeration(added->name))
      refuse("ArraySchema: Error adding enumeration. Enumeration with name '{}' already exists in this ArraySchema.",
             added->name);
    schema.enumerations.push_back(added);
  });
}

TEGULA_CAPI std::int32_t tiledb_array_schema_get_enumeration_from_name(ContextHandle* context, SchemaHandle* handle,
                                                                       const char* name,
                                                                       EnumerationHandle** enumeration) {
  return enter(context, [&](const auto&) {
    const auto* found = schema_of(handle).enumeration(given(name, "enumeration name"));
    if (!found)
      refuse("ArraySchema: Unable to check if unknown enumeration is loaded. No enumeration named '{}'.", name);
    give(enumeration, EnumerationHandle{*found});
  });
}

TEGULA_CAPI std::int32_t tiledb_array_schema_get_enumeration_from_attribute_name(ContextHandle* context,
                                                                                 SchemaHandle* handle, const char* name,
                                                                                 EnumerationHandle** enumeration) {
  return enter(context, [&](const auto&) {
    const SchemaParts& schema = schema_of(handle);
    const tiledb::SchemaAttribute* attribute = schema.attribute(given(name, "attribute name"));
    if (!attribute) refuse("ArraySchema: there is no attribute '{}'", name);
    out(enumeration) = nullptr;
    if (attribute->enumeration.empty()) return;
    const auto* found = schema.enumeration(attribute->enumeration);
    if (!found) refuse("ArraySchema: there is no enumeration '{}'", attribute->enumeration);
    give(enumeration, EnumerationHandle{*found});
  });
}

TEGULA_CAPI std::int32_t tiledb_array_schema_set_current_domain(ContextHandle* context, SchemaHandle* handle,
                                                                CurrentDomainHandle* domain) {
  return enter(context, [&](const auto&) { schema_of(handle).current_domain = checked(domain).domain; });
}

TEGULA_CAPI std::int32_t tiledb_array_schema_get_current_domain(ContextHandle* context, SchemaHandle* handle,
                                                                CurrentDomainHandle** domain) {
  return enter(context, [&](const auto&) { give(domain, CurrentDomainHandle{schema_of(handle).current_domain}); });
}

}  // namespace tegula::capi
