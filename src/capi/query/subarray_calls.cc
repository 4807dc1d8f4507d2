#include <cstring>

#include "capi/query/subarray.h"

namespace tegula::capi {

namespace {

Subarray& subarray_of(const SubarrayHandle* handle) { return *checked(handle).subarray; }

ByteView bytes_at(const void* from, std::uint64_t size) {
  if (!from && size > 0) refuse("Subarray: Cannot add range; Range bounds cannot be null");
  return {static_cast<const std::byte*>(from), static_cast<std::size_t>(size)};
}

void add_fixed(Subarray& subarray, std::size_t d, const void* low, const void* high, const void* stride) {
  const tiledb::SchemaDimension& dimension = subarray.dimensions()[d];
  if (dimension.var())
    refuse("Subarray: Cannot add range; Range must be variable-sized on dimension '{}'", dimension.name);
  if (stride) refuse("Subarray: Cannot add range; Setting range stride is currently unsupported");
  if (!low || !high) refuse("Subarray: Cannot add range; Invalid range");
  subarray.add(d, bytes_at(low, dimension.type.size), bytes_at(high, dimension.type.size));
}

void add_var(Subarray& subarray, std::size_t d, const void* low, std::uint64_t low_size, const void* high,
             std::uint64_t high_size) {
  if (!subarray.dimensions()[d].var())
    refuse("Subarray: Cannot add range; Range must be fixed-sized on dimension '{}'", subarray.dimensions()[d].name);
  subarray.add(d, bytes_at(low, low_size), bytes_at(high, high_size));
}

void get_fixed(const Subarray& subarray, std::size_t d, std::uint64_t index, const void** low, const void** high,
               const void** stride) {
  const RawRange& range = subarray.range(d, index);
  out(low) = range.low.empty() ? nullptr : range.low.data();
  out(high) = range.high.empty() ? nullptr : range.high.data();
  if (stride) *stride = nullptr;
}

void get_var_sizes(const Subarray& subarray, std::size_t d, std::uint64_t index, std::uint64_t* low,
                   std::uint64_t* high) {
  const RawRange& range = subarray.range(d, index);
  out(low) = range.low.size();
  out(high) = range.high.size();
}

void get_var(const Subarray& subarray, std::size_t d, std::uint64_t index, void* low, void* high) {
  const RawRange& range = subarray.range(d, index);
  if (!range.low.empty()) std::memcpy(&out(static_cast<std::byte*>(low)), range.low.data(), range.low.size());
  if (!range.high.empty()) std::memcpy(&out(static_cast<std::byte*>(high)), range.high.data(), range.high.size());
}

const tiledb::SchemaLabel* label_named(const OpenArray& array, std::string_view name) {
  for (const tiledb::SchemaLabel& label : array.stored_schema().labels)
    if (label.name == name) return &label;
  return nullptr;
}

// None where a label has ranges instead.
std::uint64_t range_count(const Subarray& subarray, std::size_t d) {
  for (const Subarray::LabelRanges& label : subarray.labels())
    if (const auto* known = label_named(subarray.array(), label.label); known && known->dimension == d) return 0;
  return subarray.ranges(d).size();
}

}  // namespace

TEGULA_CAPI std::int32_t tiledb_subarray_alloc(ContextHandle* context, const ArrayHandle* array,
                                               SubarrayHandle** handle) {
  return enter(context, [&](const auto&) {
    if (!array_of(array).is_open()) refuse("C API: Cannot create subarray; array is not open");
    give(handle, SubarrayHandle{std::make_shared<Subarray>(checked(array).array)});
  });
}

TEGULA_CAPI void tiledb_subarray_free(SubarrayHandle** handle) { free_handle(handle); }

// Nothing in a config concerns a subarray.
TEGULA_CAPI std::int32_t tiledb_subarray_set_config(ContextHandle* context, SubarrayHandle* handle,
                                                    ConfigHandle* config) {
  return enter(context, [&](const auto&) { subarray_of(handle), checked(config); });
}

TEGULA_CAPI std::int32_t tiledb_subarray_set_coalesce_ranges(ContextHandle* context, SubarrayHandle* handle,
                                                             int coalesce) {
  return enter(context, [&](const auto&) { subarray_of(handle).set_coalesce(coalesce != 0); });
}

// Low and high of every dimension in a row; dimensions of one type.
TEGULA_CAPI std::int32_t tiledb_subarray_set_subarray(ContextHandle* context, SubarrayHandle* handle,
                                                      const void* bounds) {
  return enter(context, [&](const auto&) {
    Subarray& subarray = subarray_of(handle);
    const auto* at = static_cast<const std::byte*>(bounds);
    if (!at) refuse("C API: Invalid subarray: it is null");
    for (std::size_t d = 0; d < subarray.dimensions().size(); ++d) {
      const std::size_t size = subarray.dimensions()[d].type.size;
      add_fixed(subarray, d, at, at + size, nullptr);
      at += 2 * size;
    }
  });
}

TEGULA_CAPI std::int32_t tiledb_subarray_add_range(ContextHandle* context, SubarrayHandle* handle, std::uint32_t index,
                                                   const void* low, const void* high, const void* stride) {
  return enter(context, [&](const auto&) {
    Subarray& subarray = subarray_of(handle);
    add_fixed(subarray, subarray.checked_dimension(index), low, high, stride);
  });
}

TEGULA_CAPI std::int32_t tiledb_subarray_add_range_by_name(ContextHandle* context, SubarrayHandle* handle,
                                                           const char* name, const void* low, const void* high,
                                                           const void* stride) {
  return enter(context, [&](const auto&) {
    Subarray& subarray = subarray_of(handle);
    add_fixed(subarray, subarray.index_of(given(name, "dimension name")), low, high, stride);
  });
}

TEGULA_CAPI std::int32_t tiledb_subarray_add_range_var(ContextHandle* context, SubarrayHandle* handle,
                                                       std::uint32_t index, const void* low, std::uint64_t low_size,
                                                       const void* high, std::uint64_t high_size) {
  return enter(context, [&](const auto&) {
    Subarray& subarray = subarray_of(handle);
    add_var(subarray, subarray.checked_dimension(index), low, low_size, high, high_size);
  });
}

TEGULA_CAPI std::int32_t tiledb_subarray_add_range_var_by_name(ContextHandle* context, SubarrayHandle* handle,
                                                               const char* name, const void* low,
                                                               std::uint64_t low_size, const void* high,
                                                               std::uint64_t high_size) {
  return enter(context, [&](const auto&) {
    Subarray& subarray = subarray_of(handle);
    add_var(subarray, subarray.index_of(given(name, "dimension name")), low, low_size, high, high_size);
  });
}

TEGULA_CAPI std::int32_t tiledb_subarray_add_point_ranges(ContextHandle* context, SubarrayHandle* handle,
                                                          std::uint32_t index, const void* points,
                                                          std::uint64_t count) {
  return enter(context, [&](const auto&) {
    Subarray& subarray = subarray_of(handle);
    const std::size_t d = subarray.checked_dimension(index);
    const std::size_t size = subarray.dimensions()[d].type.size;
    const auto* at = static_cast<const std::byte*>(points);
    for (std::uint64_t i = 0; i < count; ++i, at += size) add_fixed(subarray, d, at, at, nullptr);
  });
}

TEGULA_CAPI std::int32_t tiledb_subarray_add_point_ranges_var(ContextHandle* context, SubarrayHandle* handle,
                                                              std::uint32_t index, const void* points,
                                                              std::uint64_t size, const std::uint64_t* offsets,
                                                              std::uint64_t count) {
  return enter(context, [&](const auto&) {
    Subarray& subarray = subarray_of(handle);
    const std::size_t d = subarray.checked_dimension(index);
    const ByteView all = bytes_at(points, size);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t begin = (&out(offsets))[i], end = i + 1 < count ? offsets[i + 1] : size;
      if (begin > end || end > size) refuse("Subarray: offset {} of the points is {}, of {} bytes", i, begin, size);
      const ByteView point = all.subspan(begin, end - begin);
      add_var(subarray, d, point.data(), point.size(), point.data(), point.size());
    }
  });
}

TEGULA_CAPI std::int32_t tiledb_subarray_get_range_num(ContextHandle* context, const SubarrayHandle* handle,
                                                       std::uint32_t index, std::uint64_t* count) {
  return enter(context, [&](const auto&) {
    const Subarray& subarray = subarray_of(handle);
    out(count) = range_count(subarray, subarray.checked_dimension(index));
  });
}

TEGULA_CAPI std::int32_t tiledb_subarray_get_range_num_from_name(ContextHandle* context, const SubarrayHandle* handle,
                                                                 const char* name, std::uint64_t* count) {
  return enter(context, [&](const auto&) {
    const Subarray& subarray = subarray_of(handle);
    out(count) = range_count(subarray, subarray.index_of(given(name, "dimension name")));
  });
}

TEGULA_CAPI std::int32_t tiledb_subarray_get_range(ContextHandle* context, const SubarrayHandle* handle,
                                                   std::uint32_t dimension, std::uint64_t index, const void** low,
                                                   const void** high, const void** stride) {
  return enter(context, [&](const auto&) {
    const Subarray& subarray = subarray_of(handle);
    get_fixed(subarray, subarray.checked_dimension(dimension), index, low, high, stride);
  });
}

TEGULA_CAPI std::int32_t tiledb_subarray_get_range_from_name(ContextHandle* context, const SubarrayHandle* handle,
                                                             const char* name, std::uint64_t index, const void** low,
                                                             const void** high, const void** stride) {
  return enter(context, [&](const auto&) {
    const Subarray& subarray = subarray_of(handle);
    get_fixed(subarray, subarray.index_of(given(name, "dimension name")), index, low, high, stride);
  });
}

TEGULA_CAPI std::int32_t tiledb_subarray_get_range_var_size(ContextHandle* context, const SubarrayHandle* handle,
                                                            std::uint32_t dimension, std::uint64_t index,
                                                            std::uint64_t* low, std::uint64_t* high) {
  return enter(context, [&](const auto&) {
    const Subarray& subarray = subarray_of(handle);
    get_var_sizes(subarray, subarray.checked_dimension(dimension), index, low, high);
  });
}

TEGULA_CAPI std::int32_t tiledb_subarray_get_range_var_size_from_name(ContextHandle* context,
                                                                      const SubarrayHandle* handle, const char* name,
                                                                      std::uint64_t index, std::uint64_t* low,
                                                                      std::uint64_t* high) {
  return enter(context, [&](const auto&) {
    const Subarray& subarray = subarray_of(handle);
    get_var_sizes(subarray, subarray.index_of(given(name, "dimension name")), index, low, high);
  });
}

TEGULA_CAPI std::int32_t tiledb_subarray_get_range_var(ContextHandle* context, const SubarrayHandle* handle,
                                                       std::uint32_t dimension, std::uint64_t index, void* low,
                                                       void* high) {
  return enter(context, [&](const auto&) {
    const Subarray& subarray = subarray_of(handle);
    get_var(subarray, subarray.checked_dimension(dimension), index, low, high);
  });
}

TEGULA_CAPI std::int32_t tiledb_subarray_get_range_var_from_name(ContextHandle* context, const SubarrayHandle* handle,
                                                                 const char* name, std::uint64_t index, void* low,
                                                                 void* high) {
  return enter(context, [&](const auto&) {
    const Subarray& subarray = subarray_of(handle);
    get_var(subarray, subarray.index_of(given(name, "dimension name")), index, low, high);
  });
}

TEGULA_CAPI std::int32_t tiledb_subarray_has_label_ranges(ContextHandle* context, const SubarrayHandle* handle,
                                                          std::uint32_t dimension, std::int32_t* has) {
  return enter(context, [&](const auto&) {
    const Subarray& subarray = subarray_of(handle);
    subarray.checked_dimension(dimension);
    out(has) = 0;
    for (const Subarray::LabelRanges& label : subarray.labels()) {
      const tiledb::SchemaLabel* known = label_named(subarray.array(), label.label);
      if (known && known->dimension == dimension) *has = 1;
    }
  });
}

TEGULA_CAPI std::int32_t tiledb_subarray_get_label_range_num(ContextHandle* context, const SubarrayHandle* handle,
                                                             const char* name, std::uint64_t* count) {
  return enter(context, [&](const auto&) {
    const Subarray& subarray = subarray_of(handle);
    if (!label_named(subarray.array(), given(name, "label name")))
      refuse("Subarray: there is no dimension label '{}'", name);
    out(count) = 0;
    for (const Subarray::LabelRanges& label : subarray.labels())
      if (label.label == name) *count = label.ranges.size();
  });
}

TEGULA_CAPI std::int32_t tiledb_subarray_add_label_range(ContextHandle* context, SubarrayHandle* handle,
                                                         const char* name, const void* low, const void* high,
                                                         const void* stride) {
  return enter(context, [&](const auto&) {
    Subarray& subarray = subarray_of(handle);
    const tiledb::SchemaLabel* label = label_named(subarray.array(), given(name, "label name"));
    if (!label) refuse("Subarray: there is no dimension label '{}'", name);
    if (label->values_per_cell == kVar)
      refuse("Subarray: Cannot add label range; the label '{}' is variable-sized", name);
    if (stride || !low || !high) refuse("Subarray: Cannot add label range; it has two bounds and no stride");
    subarray.add_label(name, bytes_at(low, label->type.size), bytes_at(high, label->type.size));
  });
}

TEGULA_CAPI std::int32_t tiledb_subarray_add_label_range_var(ContextHandle* context, SubarrayHandle* handle,
                                                             const char* name, const void* low, std::uint64_t low_size,
                                                             const void* high, std::uint64_t high_size) {
  return enter(context, [&](const auto&) {
    Subarray& subarray = subarray_of(handle);
    const tiledb::SchemaLabel* label = label_named(subarray.array(), given(name, "label name"));
    if (!label) refuse("Subarray: there is no dimension label '{}'", name);
    if (label->values_per_cell != kVar) refuse("Subarray: Cannot add label range; the label '{}' is fixed-sized", name);
    subarray.add_label(name, bytes_at(low, low_size), bytes_at(high, high_size));
  });
}

}  // namespace tegula::capi
