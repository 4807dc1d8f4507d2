#include "capi/schema/attribute.h"

#include "capi/core/context.h"
#include "capi/core/enums.h"
#include "capi/core/text.h"
#include "capi/schema/filters.h"

namespace tegula::capi {

namespace {

using tiledb::SchemaAttribute;

SchemaAttribute& attribute_of(const AttributeHandle* handle) { return *checked(handle).attribute; }

void set_fill(SchemaAttribute& attribute, const void* value, std::uint64_t size) {
  if (!value) refuse("Attribute: Cannot set fill value; Input value cannot be null");
  if (size == 0) refuse("Attribute: Cannot set fill value; Input size cannot be 0");
  if (!attribute.var() && size != attribute.cell_size())
    refuse("Attribute: Cannot set fill value; Input size is not the same as cell size ({} != {})", size,
           attribute.cell_size());
  attribute.fill = copy_of({static_cast<const std::byte*>(value), static_cast<std::size_t>(size)});
}

void get_fill(const SchemaAttribute& attribute, const void** value, std::uint64_t* size) {
  out(value) = attribute.fill.data();
  out(size) = attribute.fill.size();
}

}  // namespace

std::string dump(const SchemaAttribute& attribute) {
  return fmt::format(
      "### Attribute ###\n- Name: {}\n- Type: {}\n- Nullable: {}\n- Cell val num: {}\n- Filters: {}\n- Fill value: {} "
      "bytes{}\n{}",
      attribute.name.empty() ? "<anonymous>" : attribute.name, tiledb_name(attribute.type_code), attribute.nullable,
      attribute.var() ? "var" : std::to_string(attribute.values_per_cell), describe(attribute.filters),
      attribute.fill.size(), attribute.nullable ? fmt::format(", valid: {}", attribute.fill_valid) : "",
      attribute.enumeration.empty() ? "" : fmt::format("- Enumeration name: {}\n", attribute.enumeration));
}

TEGULA_CAPI std::int32_t tiledb_attribute_alloc(ContextHandle* context, const char* name, std::int32_t type,
                                                AttributeHandle** handle) {
  return enter(context, [&](const auto&) {
    auto attribute = std::make_shared<SchemaAttribute>();
    attribute->name = given(name, "attribute name");
    attribute->type = datatype_of(type);
    attribute->type_code = static_cast<std::uint8_t>(type);
    attribute->values_per_cell = attribute->type.id == TypeId::any ? kVar : 1;
    attribute->fill = tiledb::default_fill(attribute->type, attribute->values_per_cell);
    give(handle, AttributeHandle{std::move(attribute)});
  });
}

TEGULA_CAPI void tiledb_attribute_free(AttributeHandle** attribute) { free_handle(attribute); }

TEGULA_CAPI std::int32_t tiledb_attribute_get_name(ContextHandle* context, const AttributeHandle* attribute,
                                                   const char** name) {
  return enter(context, [&](const auto&) { out(name) = attribute_of(attribute).name.c_str(); });
}

TEGULA_CAPI std::int32_t tiledb_attribute_get_type(ContextHandle* context, const AttributeHandle* attribute,
                                                   std::int32_t* type) {
  return enter(context, [&](const auto&) { out(type) = attribute_of(attribute).type_code; });
}

TEGULA_CAPI std::int32_t tiledb_attribute_set_nullable(ContextHandle* context, AttributeHandle* handle,
                                                       std::uint8_t nullable) {
  return enter(context, [&](const auto&) {
    SchemaAttribute& attribute = attribute_of(handle);
    if (nullable != 0 && attribute.order != tiledb::DataOrder::unordered)
      refuse("Attribute: Cannot set to nullable; An ordered attribute cannot be nullable");
    attribute.nullable = nullable != 0;
  });
}

TEGULA_CAPI std::int32_t tiledb_attribute_get_nullable(ContextHandle* context, AttributeHandle* attribute,
                                                       std::uint8_t* nullable) {
  return enter(context, [&](const auto&) { out(nullable) = attribute_of(attribute).nullable ? 1 : 0; });
}

TEGULA_CAPI std::int32_t tiledb_attribute_set_cell_val_num(ContextHandle* context, AttributeHandle* handle,
                                                           std::uint32_t count) {
  return enter(context, [&](const auto&) {
    SchemaAttribute& attribute = attribute_of(handle);
    if (count == 0) refuse("Attribute: Cannot set number of values per cell to 0");
    if (attribute.type.id == TypeId::any && count != kVar)
      refuse("Attribute: Cannot set number of values per cell; Attributes of datatype ANY are always variable-sized");
    if (attribute.order != tiledb::DataOrder::unordered && count != 1)
      refuse("Attribute: Cannot set number of values per cell; An ordered attribute has one value per cell");
    attribute.values_per_cell = count;
    attribute.fill = tiledb::default_fill(attribute.type, count);
  });
}

TEGULA_CAPI std::int32_t tiledb_attribute_get_cell_val_num(ContextHandle* context, const AttributeHandle* attribute,
                                                           std::uint32_t* count) {
  return enter(context, [&](const auto&) { out(count) = attribute_of(attribute).values_per_cell; });
}

TEGULA_CAPI std::int32_t tiledb_attribute_get_cell_size(ContextHandle* context, const AttributeHandle* attribute,
                                                        std::uint64_t* size) {
  return enter(context, [&](const auto&) {
    const SchemaAttribute& found = attribute_of(attribute);
    out(size) = found.var() ? UINT64_MAX : found.cell_size();
  });
}

TEGULA_CAPI std::int32_t tiledb_attribute_set_filter_list(ContextHandle* context, AttributeHandle* attribute,
                                                          FilterListHandle* list) {
  return enter(context, [&](const auto&) { attribute_of(attribute).filters = checked(list).filters; });
}

TEGULA_CAPI std::int32_t tiledb_attribute_get_filter_list(ContextHandle* context, AttributeHandle* attribute,
                                                          FilterListHandle** list) {
  return enter(context, [&](const auto&) { give(list, FilterListHandle{attribute_of(attribute).filters}); });
}

TEGULA_CAPI std::int32_t tiledb_attribute_set_fill_value(ContextHandle* context, AttributeHandle* handle,
                                                         const void* value, std::uint64_t size) {
  return enter(context, [&](const auto&) {
    SchemaAttribute& attribute = attribute_of(handle);
    if (attribute.nullable) refuse("Attribute: Cannot set fill value; Attribute is nullable");
    set_fill(attribute, value, size);
  });
}

TEGULA_CAPI std::int32_t tiledb_attribute_get_fill_value(ContextHandle* context, AttributeHandle* handle,
                                                         const void** value, std::uint64_t* size) {
  return enter(context, [&](const auto&) {
    const SchemaAttribute& attribute = attribute_of(handle);
    if (attribute.nullable) refuse("Attribute: Cannot get fill value; Attribute is nullable");
    get_fill(attribute, value, size);
  });
}

TEGULA_CAPI std::int32_t tiledb_attribute_set_fill_value_nullable(ContextHandle* context, AttributeHandle* handle,
                                                                  const void* value, std::uint64_t size,
                                                                  std::uint8_t valid) {
  return enter(context, [&](const auto&) {
    SchemaAttribute& attribute = attribute_of(handle);
    if (!attribute.nullable) refuse("Attribute: Cannot set fill value; Attribute is not nullable");
    set_fill(attribute, value, size);
    attribute.fill_valid = valid != 0;
  });
}

TEGULA_CAPI std::int32_t tiledb_attribute_get_fill_value_nullable(ContextHandle* context, AttributeHandle* handle,
                                                                  const void** value, std::uint64_t* size,
                                                                  std::uint8_t* valid) {
  return enter(context, [&](const auto&) {
    const SchemaAttribute& attribute = attribute_of(handle);
    if (!attribute.nullable) refuse("Attribute: Cannot get fill value; Attribute is not nullable");
    get_fill(attribute, value, size);
    out(valid) = attribute.fill_valid ? 1 : 0;
  });
}

TEGULA_CAPI std::int32_t tiledb_attribute_set_enumeration_name(ContextHandle* context, AttributeHandle* attribute,
                                                               const char* name) {
  return enter(context, [&](const auto&) { attribute_of(attribute).enumeration = given(name, "enumeration name"); });
}

// A null handle when the attribute has none.
TEGULA_CAPI std::int32_t tiledb_attribute_get_enumeration_name(ContextHandle* context, AttributeHandle* attribute,
                                                               TextHandle** name) {
  return enter(context, [&](const auto&) {
    const std::string& found = attribute_of(attribute).enumeration;
    out(name) = nullptr;
    if (!found.empty()) give(name, TextHandle{found});
  });
}

TEGULA_CAPI std::int32_t tiledb_attribute_dump_str(ContextHandle* context, const AttributeHandle* attribute,
                                                   TextHandle** text) {
  return enter(context, [&](const auto&) { give(text, TextHandle{dump(attribute_of(attribute))}); });
}

}  // namespace tegula::capi
