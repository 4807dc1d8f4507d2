#include "capi/schema/current_domain.h"

#include <algorithm>

#include "capi/core/context.h"
#include "capi/core/text.h"

namespace tegula::capi {

namespace {

// As the ABI passes a range; borrowed from the rectangle when it comes out.
struct AbiRange {
  const void* low;
  std::uint64_t low_size;
  const void* high;
  std::uint64_t high_size;
};

NdRectangle& rectangle_of(const NdRectangleHandle* handle) { return *checked(handle).rectangle; }

std::size_t index_of(const NdRectangle& rectangle, std::uint32_t index) {
  if (index >= rectangle.ranges.size())
    refuse("NDRectangle: dimension {} out of bounds, there are {}", index, rectangle.ranges.size());
  return index;
}

std::size_t index_of(const NdRectangle& rectangle, const char* name) {
  const auto at = std::find(rectangle.names.begin(), rectangle.names.end(), given(name, "dimension name"));
  if (at == rectangle.names.end()) refuse("NDRectangle: there is no dimension '{}'", name);
  return static_cast<std::size_t>(at - rectangle.names.begin());
}

void get_range(const NdRectangle& rectangle, std::size_t index, AbiRange* range) {
  const auto& [low, high] = rectangle.ranges[index];
  if (!rectangle.types[index].var && low.empty())
    refuse("NDRectangle: The range for dimension {} is not set", rectangle.names[index]);
  out(range) = {low.data(), low.size(), high.data(), high.size()};
}

void set_range(NdRectangle& rectangle, std::size_t index, const AbiRange* range) {
  const AbiRange& from = out(range);
  const tiledb::DimensionType& type = rectangle.types[index];
  if ((!from.low && from.low_size > 0) || (!from.high && from.high_size > 0)) refuse("NDRectangle: a bound is null");
  if (!type.var && (from.low_size != type.size() || from.high_size != type.size()))
    refuse("NDRectangle: Range sizes {} and {} do not match the {} bytes of dimension {}", from.low_size,
           from.high_size, type.size(), rectangle.names[index]);
  const ByteView low(static_cast<const std::byte*>(from.low), from.low_size),
      high(static_cast<const std::byte*>(from.high), from.high_size);
  if (tiledb::compare_values(type.type, type.var, low, high) > 0)
    refuse("NDRectangle: Lower range bound cannot be larger than the higher bound on dimension {}",
           rectangle.names[index]);
  rectangle.ranges[index] = {copy_of(low), copy_of(high)};
}

}  // namespace

NdRectangle::NdRectangle(const Dimensions& dimensions) : ranges(dimensions.size()) {
  for (const auto& dimension : dimensions) {
    names.push_back(dimension->name);
    types.push_back(dimension->range_type());
  }
}

CurrentDomain current_domain_from(const std::optional<tiledb::NdRange>& stored, const Dimensions& dimensions) {
  if (!stored) return {};
  auto rectangle = std::make_shared<NdRectangle>(dimensions);
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    tiledb::value_to_bytes(dimensions[d]->type, (*stored)[d].low, rectangle->ranges[d].first);
    tiledb::value_to_bytes(dimensions[d]->type, (*stored)[d].high, rectangle->ranges[d].second);
  }
  return {std::move(rectangle)};
}

std::optional<tiledb::NdRange> stored_current_domain(const CurrentDomain& domain) {
  if (!domain.rectangle) return std::nullopt;
  const NdRectangle& from = *domain.rectangle;
  tiledb::NdRange range;
  for (std::size_t d = 0; d < from.ranges.size(); ++d) {
    const auto& [low, high] = from.ranges[d];
    const tiledb::DimensionType& type = from.types[d];
    if (!type.var && low.empty()) refuse("CurrentDomain: the range of dimension {} is not set", from.names[d]);
    range.push_back(type.var
                        ? Range{std::string(text_of(low)), std::string(text_of(high))}
                        : Range{tiledb::value_from_bytes(type.type, low), tiledb::value_from_bytes(type.type, high)});
  }
  return range;
}

std::string dump(const CurrentDomain& domain) {
  if (!domain.rectangle) return "### Current domain ###\n- Version: 0\n- Empty: true\n";
  return fmt::format("### Current domain ###\n- Version: 0\n- Empty: false\n- Type: NDRECTANGLE\n- Dimensions: {}\n",
                     domain.rectangle->ranges.size());
}

TEGULA_CAPI std::int32_t tiledb_ndrectangle_alloc(ContextHandle* context, DomainHandle* domain,
                                                  NdRectangleHandle** handle) {
  return enter(context, [&](const auto&) {
    give(handle, NdRectangleHandle{std::make_shared<NdRectangle>(*checked(domain).dimensions)});
  });
}

TEGULA_CAPI std::int32_t tiledb_ndrectangle_free(NdRectangleHandle** handle) {
  free_handle(handle);
  return kOk;
}

TEGULA_CAPI std::int32_t tiledb_ndrectangle_get_range(ContextHandle* context, NdRectangleHandle* handle,
                                                      std::uint32_t index, AbiRange* range) {
  return enter(context,
               [&](const auto&) { get_range(rectangle_of(handle), index_of(rectangle_of(handle), index), range); });
}

TEGULA_CAPI std::int32_t tiledb_ndrectangle_get_range_from_name(ContextHandle* context, NdRectangleHandle* handle,
                                                                const char* name, AbiRange* range) {
  return enter(context,
               [&](const auto&) { get_range(rectangle_of(handle), index_of(rectangle_of(handle), name), range); });
}

TEGULA_CAPI std::int32_t tiledb_ndrectangle_set_range(ContextHandle* context, NdRectangleHandle* handle,
                                                      std::uint32_t index, AbiRange* range) {
  return enter(context,
               [&](const auto&) { set_range(rectangle_of(handle), index_of(rectangle_of(handle), index), range); });
}

TEGULA_CAPI std::int32_t tiledb_ndrectangle_set_range_for_name(ContextHandle* context, NdRectangleHandle* handle,
                                                               const char* name, AbiRange* range) {
  return enter(context,
               [&](const auto&) { set_range(rectangle_of(handle), index_of(rectangle_of(handle), name), range); });
}

TEGULA_CAPI std::int32_t tiledb_ndrectangle_get_dtype(ContextHandle* context, NdRectangleHandle* handle,
                                                      std::uint32_t index, std::int32_t* type) {
  return enter(context, [&](const auto&) {
    const NdRectangle& rectangle = rectangle_of(handle);
    out(type) = *tiledb_code(rectangle.types[index_of(rectangle, index)].type);
  });
}

TEGULA_CAPI std::int32_t tiledb_ndrectangle_get_dtype_from_name(ContextHandle* context, NdRectangleHandle* handle,
                                                                const char* name, std::int32_t* type) {
  return enter(context, [&](const auto&) {
    const NdRectangle& rectangle = rectangle_of(handle);
    out(type) = *tiledb_code(rectangle.types[index_of(rectangle, name)].type);
  });
}

TEGULA_CAPI std::int32_t tiledb_ndrectangle_get_dim_num(ContextHandle* context, NdRectangleHandle* handle,
                                                        std::uint32_t* count) {
  return enter(context,
               [&](const auto&) { out(count) = static_cast<std::uint32_t>(rectangle_of(handle).ranges.size()); });
}

TEGULA_CAPI std::int32_t tiledb_ndrectangle_dump_str(ContextHandle* context, NdRectangleHandle* handle,
                                                     TextHandle** text) {
  return enter(context, [&](const auto&) { give(text, TextHandle{dump(CurrentDomain{checked(handle).rectangle})}); });
}

TEGULA_CAPI std::int32_t tiledb_current_domain_create(ContextHandle* context, CurrentDomainHandle** handle) {
  return enter(context, [&](const auto&) { give(handle, CurrentDomainHandle{std::make_shared<CurrentDomain>()}); });
}

TEGULA_CAPI std::int32_t tiledb_current_domain_free(CurrentDomainHandle** handle) {
  free_handle(handle);
  return kOk;
}

TEGULA_CAPI std::int32_t tiledb_current_domain_set_ndrectangle(ContextHandle* context, CurrentDomainHandle* handle,
                                                               NdRectangleHandle* rectangle) {
  return enter(context, [&](const auto&) {
    CurrentDomain& domain = *checked(handle).domain;
    if (domain.rectangle)
      refuse("CurrentDomain: Setting a rectangle on a non-empty CurrentDomain object is not allowed.");
    domain.rectangle = checked(rectangle).rectangle;
  });
}

TEGULA_CAPI std::int32_t tiledb_current_domain_get_ndrectangle(ContextHandle* context, CurrentDomainHandle* handle,
                                                               NdRectangleHandle** rectangle) {
  return enter(context, [&](const auto&) {
    const CurrentDomain& domain = *checked(handle).domain;
    if (!domain.rectangle) refuse("CurrentDomain: The current domain is empty");
    give(rectangle, NdRectangleHandle{domain.rectangle});
  });
}

TEGULA_CAPI std::int32_t tiledb_current_domain_get_is_empty(ContextHandle* context, CurrentDomainHandle* handle,
                                                            std::uint32_t* empty) {
  return enter(context, [&](const auto&) { out(empty) = checked(handle).domain->rectangle ? 0 : 1; });
}

TEGULA_CAPI std::int32_t tiledb_current_domain_get_type(ContextHandle* context, CurrentDomainHandle* handle,
                                                        std::int32_t* type) {
  return enter(context, [&](const auto&) {
    if (!checked(handle).domain->rectangle) refuse("CurrentDomain: Empty current domain does not have a type");
    out(type) = 0;
  });
}

TEGULA_CAPI std::int32_t tiledb_current_domain_dump_str(ContextHandle* context, CurrentDomainHandle* handle,
                                                        TextHandle** text) {
  return enter(context, [&](const auto&) { give(text, TextHandle{dump(*checked(handle).domain)}); });
}

}  // namespace tegula::capi
