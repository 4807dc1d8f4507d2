// The box around all cells of an array, dimension by dimension.
#include <cstring>

#include "capi/array/array.h"
#include "capi/array/ranges_out.h"

namespace tegula::capi {

namespace {

std::size_t index_of(const OpenArray& array, std::uint32_t index) {
  const auto& dimensions = array.stored_schema().dimensions;
  if (index >= dimensions.size()) refuse("Array: there is no dimension {}, the array has {}", index, dimensions.size());
  return index;
}

std::size_t index_of(const OpenArray& array, const char* name) {
  const auto index = array.stored_schema().dimension_index(given(name, "dimension name"));
  if (!index) refuse("Array: there is no dimension '{}'", name);
  return *index;
}

// The range of dimension `d`; null, and `empty` set, when there are no cells.
const Range* range_of(const OpenArray& array, std::size_t d, bool var, std::int32_t* empty) {
  const tiledb::SchemaDimension& dimension = array.stored_schema().dimensions[d];
  if (dimension.var() != var)
    refuse("Array: Cannot get non-empty domain; Dimension '{}' is {}", dimension.name,
           dimension.var() ? "variable-sized" : "fixed-sized");
  const auto& domain = array.non_empty_domain();
  out(empty) = domain ? 0 : 1;
  return domain ? &(*domain)[d] : nullptr;
}

void get_fixed(const OpenArray& array, std::size_t d, void* into, std::int32_t* empty) {
  if (const Range* range = range_of(array, d, false, empty))
    put_fixed_range(*range, array.stored_schema().dimensions[d].type, into);
}

}  // namespace

TEGULA_CAPI std::int32_t tiledb_array_get_non_empty_domain(ContextHandle* context, ArrayHandle* handle, void* domain,
                                                           std::int32_t* empty) {
  return enter(context, [&](const auto&) {
    const OpenArray& array = array_of(handle);
    auto* into = static_cast<std::byte*>(domain);
    for (std::size_t d = 0; d < array.stored_schema().dimensions.size(); ++d) {
      get_fixed(array, d, into, empty);
      if (into) into += 2 * std::size_t{array.stored_schema().dimensions[d].type.size};
    }
  });
}

TEGULA_CAPI std::int32_t tiledb_array_get_non_empty_domain_from_index(ContextHandle* context, ArrayHandle* handle,
                                                                      std::uint32_t index, void* domain,
                                                                      std::int32_t* empty) {
  return enter(context,
               [&](const auto&) { get_fixed(array_of(handle), index_of(array_of(handle), index), domain, empty); });
}

TEGULA_CAPI std::int32_t tiledb_array_get_non_empty_domain_from_name(ContextHandle* context, ArrayHandle* handle,
                                                                     const char* name, void* domain,
                                                                     std::int32_t* empty) {
  return enter(context,
               [&](const auto&) { get_fixed(array_of(handle), index_of(array_of(handle), name), domain, empty); });
}

TEGULA_CAPI std::int32_t tiledb_array_get_non_empty_domain_var_size_from_index(ContextHandle* context,
                                                                               ArrayHandle* handle, std::uint32_t index,
                                                                               std::uint64_t* low, std::uint64_t* high,
                                                                               std::int32_t* empty) {
  return enter(context, [&](const auto&) {
    put_var_sizes(range_of(array_of(handle), index_of(array_of(handle), index), true, empty), low, high);
  });
}

TEGULA_CAPI std::int32_t tiledb_array_get_non_empty_domain_var_size_from_name(ContextHandle* context,
                                                                              ArrayHandle* handle, const char* name,
                                                                              std::uint64_t* low, std::uint64_t* high,
                                                                              std::int32_t* empty) {
  return enter(context, [&](const auto&) {
    put_var_sizes(range_of(array_of(handle), index_of(array_of(handle), name), true, empty), low, high);
  });
}

TEGULA_CAPI std::int32_t tiledb_array_get_non_empty_domain_var_from_index(ContextHandle* context, ArrayHandle* handle,
                                                                          std::uint32_t index, void* low, void* high,
                                                                          std::int32_t* empty) {
  return enter(context, [&](const auto&) {
    put_var_range(range_of(array_of(handle), index_of(array_of(handle), index), true, empty), low, high);
  });
}

TEGULA_CAPI std::int32_t tiledb_array_get_non_empty_domain_var_from_name(ContextHandle* context, ArrayHandle* handle,
                                                                         const char* name, void* low, void* high,
                                                                         std::int32_t* empty) {
  return enter(context, [&](const auto&) {
    put_var_range(range_of(array_of(handle), index_of(array_of(handle), name), true, empty), low, high);
  });
}

}  // namespace tegula::capi
