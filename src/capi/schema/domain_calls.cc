#include <algorithm>
#include <cmath>

#include "capi/core/context.h"
#include "capi/core/enums.h"
#include "capi/core/text.h"
#include "capi/schema/domain.h"
#include "capi/schema/filters.h"

namespace tegula::capi {

namespace {

using tiledb::SchemaDimension;

SchemaDimension& dimension_of(const DimensionHandle* handle) { return *checked(handle).dimension; }
Dimensions& dimensions_of(const DomainHandle* handle) { return *checked(handle).dimensions; }

Bytes bytes_at(const void* from, std::size_t size) { return copy_of({static_cast<const std::byte*>(from), size}); }

bool may_be_dimension(const Datatype& type) { return type.is_integer() || type.is_date() || type.is_float(); }

// Integers as unsigned offsets from the low bound, so that every type is counted alike.
std::uint64_t as_offset(const Value& value) {
  if (const auto* i = std::get_if<std::int64_t>(&value)) return static_cast<std::uint64_t>(*i);
  return std::get<std::uint64_t>(value);
}

void check_domain(const SchemaDimension& dimension) {
  const std::size_t size = dimension.type.size;
  const ByteView low = ByteView(dimension.domain).first(size), high = ByteView(dimension.domain).subspan(size);
  if (dimension.type.is_float()) {
    for (const ByteView bound : {low, high})
      if (!std::isfinite(std::get<double>(tiledb::value_from_bytes(dimension.type, bound))))
        refuse("Dimension: Domain check failed on dimension '{}'; a bound is not a finite number", dimension.name);
  }
  if (tiledb::compare_values(dimension.type, false, low, high) > 0)
    refuse("Dimension: Domain check failed on dimension '{}'; Lower domain bound cannot be larger than the upper bound",
           dimension.name);
}

void check_extent(const SchemaDimension& dimension) {
  if (dimension.extent.empty()) return;
  const auto failed = [&](std::string_view why) {
    refuse("Dimension: Tile extent check failed on dimension '{}'; {}", dimension.name, why);
  };
  const std::size_t size = dimension.type.size;
  const Value low = tiledb::value_from_bytes(dimension.type, ByteView(dimension.domain).first(size));
  const Value high = tiledb::value_from_bytes(dimension.type, ByteView(dimension.domain).subspan(size));
  const Value extent = tiledb::value_from_bytes(dimension.type, dimension.extent);
  if (const auto* tile = std::get_if<double>(&extent)) {
    if (!(*tile > 0)) failed(*tile == 0 ? "Tile extent must not be 0" : "Tile extent must be greater than 0");
    if (*tile > std::get<double>(high) - std::get<double>(low) + 1)
      failed("Tile extent exceeds dimension domain range");
    return;
  }
  const std::uint64_t tile = as_offset(extent) & (size == 8 ? UINT64_MAX : (1ull << (8 * size)) - 1);
  if (tile == 0) failed("Tile extent must not be 0");
  const std::uint64_t last = as_offset(high) - as_offset(low);
  if (tile - 1 > last) failed("Tile extent exceeds dimension domain range");
  // The last tile has to end inside the type, too.
  const std::uint64_t beyond = tile - 1 - last % tile;
  const std::uint64_t most = dimension.type.is_signed() || dimension.type.is_date() ? UINT64_MAX >> (65 - 8 * size)
                                                                                    : UINT64_MAX >> (64 - 8 * size);
  if (most - as_offset(high) < beyond)
    failed(
        "domain max expanded to multiple of tile extent exceeds max value representable by domain type. Reduce domain "
        "max by 1 tile extent to allow for expansion.");
}

}  // namespace

TEGULA_CAPI std::int32_t tiledb_dimension_alloc(ContextHandle* context, const char* name, std::int32_t type,
                                                const void* domain, const void* extent, DimensionHandle** handle) {
  return enter(context, [&](const auto&) {
    auto dimension = std::make_shared<SchemaDimension>();
    dimension->name = given(name, "dimension name");
    dimension->type = datatype_of(type);
    dimension->type_code = static_cast<std::uint8_t>(type);
    if (dimension->type.id == TypeId::ascii) {
      dimension->values_per_cell = kVar;
      if (domain || extent)
        refuse("Dimension: Setting the domain or tile extent of a dimension of datatype '{}' is not supported",
               tiledb_name(dimension->type_code));
    } else {
      if (!may_be_dimension(dimension->type))
        refuse("Dimension: Datatype '{}' is not a valid Dimension Datatype", tiledb_name(dimension->type_code));
      if (!domain) refuse("Dimension: Cannot set domain; dimension '{}' needs one", dimension->name);
      dimension->domain = bytes_at(domain, 2 * dimension->type.size);
      check_domain(*dimension);
      if (extent) dimension->extent = bytes_at(extent, dimension->type.size);
      check_extent(*dimension);
    }
    give(handle, DimensionHandle{std::move(dimension)});
  });
}

TEGULA_CAPI void tiledb_dimension_free(DimensionHandle** dimension) { free_handle(dimension); }

TEGULA_CAPI std::int32_t tiledb_dimension_get_name(ContextHandle* context, const DimensionHandle* dimension,
                                                   const char** name) {
  return enter(context, [&](const auto&) { out(name) = dimension_of(dimension).name.c_str(); });
}

TEGULA_CAPI std::int32_t tiledb_dimension_get_type(ContextHandle* context, const DimensionHandle* dimension,
                                                   std::int32_t* type) {
  return enter(context, [&](const auto&) { out(type) = dimension_of(dimension).type_code; });
}

TEGULA_CAPI std::int32_t tiledb_dimension_get_domain(ContextHandle* context, const DimensionHandle* dimension,
                                                     const void** domain) {
  return enter(context, [&](const auto&) {
    const Bytes& found = dimension_of(dimension).domain;
    out(domain) = found.empty() ? nullptr : found.data();
  });
}

TEGULA_CAPI std::int32_t tiledb_dimension_get_tile_extent(ContextHandle* context, const DimensionHandle* dimension,
                                                          const void** extent) {
  return enter(context, [&](const auto&) {
    const Bytes& found = dimension_of(dimension).extent;
    out(extent) = found.empty() ? nullptr : found.data();
  });
}

TEGULA_CAPI std::int32_t tiledb_dimension_get_cell_val_num(ContextHandle* context, const DimensionHandle* dimension,
                                                           std::uint32_t* count) {
  return enter(context, [&](const auto&) { out(count) = dimension_of(dimension).values_per_cell; });
}

TEGULA_CAPI std::int32_t tiledb_dimension_set_cell_val_num(ContextHandle* context, DimensionHandle* dimension,
                                                           std::uint32_t count) {
  return enter(context, [&](const auto&) {
    const SchemaDimension& found = dimension_of(dimension);
    if (count != found.values_per_cell)
      refuse("Dimension: Cannot set number of values per coordinate; a dimension of datatype '{}' has {}",
             tiledb_name(found.type_code), found.var() ? "a variable number" : "one");
  });
}

TEGULA_CAPI std::int32_t tiledb_dimension_set_filter_list(ContextHandle* context, DimensionHandle* dimension,
                                                          FilterListHandle* list) {
  return enter(context, [&](const auto&) { dimension_of(dimension).filters = checked(list).filters; });
}

TEGULA_CAPI std::int32_t tiledb_dimension_get_filter_list(ContextHandle* context, DimensionHandle* dimension,
                                                          FilterListHandle** list) {
  return enter(context, [&](const auto&) { give(list, FilterListHandle{dimension_of(dimension).filters}); });
}

TEGULA_CAPI std::int32_t tiledb_dimension_dump_str(ContextHandle* context, const DimensionHandle* dimension,
                                                   TextHandle** text) {
  return enter(context, [&](const auto&) { give(text, TextHandle{dump(dimension_of(dimension))}); });
}

TEGULA_CAPI std::int32_t tiledb_domain_alloc(ContextHandle* context, DomainHandle** domain) {
  return enter(context, [&](const auto&) { give(domain, DomainHandle{std::make_shared<Dimensions>()}); });
}

TEGULA_CAPI void tiledb_domain_free(DomainHandle** domain) { free_handle(domain); }

TEGULA_CAPI std::int32_t tiledb_domain_add_dimension(ContextHandle* context, DomainHandle* domain,
                                                     DimensionHandle* dimension) {
  return enter(context, [&](const auto&) { dimensions_of(domain).push_back(checked(dimension).dimension); });
}

TEGULA_CAPI std::int32_t tiledb_domain_get_ndim(ContextHandle* context, const DomainHandle* domain,
                                                std::uint32_t* count) {
  return enter(context, [&](const auto&) { out(count) = static_cast<std::uint32_t>(dimensions_of(domain).size()); });
}

TEGULA_CAPI std::int32_t tiledb_domain_get_type(ContextHandle* context, const DomainHandle* domain,
                                                std::int32_t* type) {
  return enter(context, [&](const auto&) {
    const Dimensions& dimensions = dimensions_of(domain);
    if (dimensions.empty()) refuse("Domain: Cannot get type; Domain has no dimensions");
    for (const auto& dimension : dimensions)
      if (dimension->type_code != dimensions.front()->type_code)
        refuse("Domain: Cannot get type; Heterogeneous dimensions have no common type");
    out(type) = dimensions.front()->type_code;
  });
}

// Null for dimension 0 of a domain without any.
TEGULA_CAPI std::int32_t tiledb_domain_get_dimension_from_index(ContextHandle* context, const DomainHandle* domain,
                                                                std::uint32_t index, DimensionHandle** dimension) {
  return enter(context, [&](const auto&) {
    const Dimensions& dimensions = dimensions_of(domain);
    out(dimension) = nullptr;
    if (dimensions.empty() && index == 0) return;
    give(dimension, DimensionHandle{dimensions[checked_index(dimensions, index)]});
  });
}

TEGULA_CAPI std::int32_t tiledb_domain_get_dimension_from_name(ContextHandle* context, const DomainHandle* domain,
                                                               const char* name, DimensionHandle** dimension) {
  return enter(context, [&](const auto&) {
    const Dimensions& dimensions = dimensions_of(domain);
    out(dimension) = nullptr;
    if (dimensions.empty()) return;
    give(dimension, DimensionHandle{dimensions[dimension_index(dimensions, given(name, "dimension name"))]});
  });
}

TEGULA_CAPI std::int32_t tiledb_domain_has_dimension(ContextHandle* context, const DomainHandle* domain,
                                                     const char* name, std::int32_t* has) {
  return enter(context, [&](const auto&) {
    const Dimensions& dimensions = dimensions_of(domain);
    const std::string_view wanted = given(name, "dimension name");
    out(has) = std::any_of(dimensions.begin(), dimensions.end(), [&](const auto& d) { return d->name == wanted; });
  });
}

TEGULA_CAPI std::int32_t tiledb_domain_dump_str(ContextHandle* context, const DomainHandle* domain, TextHandle** text) {
  return enter(context, [&](const auto&) { give(text, TextHandle{dump(dimensions_of(domain))}); });
}

}  // namespace tegula::capi
