#include "capi/schema/enumeration.h"

#include <algorithm>
#include <set>

#include "capi/core/context.h"
#include "capi/core/enums.h"
#include "capi/core/text.h"

namespace tegula::capi {

namespace {

const Enumeration& enumeration_of(const EnumerationHandle* handle) { return *checked(handle).enumeration; }

ByteView view_of(const void* data, std::uint64_t size, std::string_view what) {
  if (!data && size > 0) refuse("Enumeration: {} is null, but has a size of {}", what, size);
  return {static_cast<const std::byte*>(data), static_cast<std::size_t>(size)};
}

// Appends values; offsets count from the start of `data`.
void append(Enumeration& to, ByteView data, ByteView offsets) {
  if (to.values_per_cell != kVar) {
    if (!offsets.empty()) refuse("Enumeration: Fixed size cells have no offsets");
    const std::uint64_t cell = std::uint64_t{to.values_per_cell} * to.type.size;
    if (data.size() % cell != 0)
      refuse("Enumeration: {} bytes of data are not a number of cells of {}", data.size(), cell);
  } else {
    if (offsets.size() % 8 != 0) refuse("Enumeration: {} bytes are not a number of offsets", offsets.size());
    if (offsets.empty() && !data.empty()) refuse("Enumeration: Variable sized cells need offsets");
    std::vector<std::uint64_t> starts(offsets.size() / 8);
    std::copy(offsets.begin(), offsets.end(), reinterpret_cast<std::byte*>(starts.data()));
    for (std::size_t i = 0; i < starts.size(); ++i)
      if (starts[i] > data.size() || (i > 0 && starts[i] < starts[i - 1]) || starts.front() != 0)
        refuse("Enumeration: offset {} is {}, with {} bytes of data", i, starts[i], data.size());
    for (const std::uint64_t start : starts) to.offsets.push_back(to.data.size() + start);
  }
  to.data.insert(to.data.end(), data.begin(), data.end());
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < to.count(); ++i)
    if (!seen.insert(text_of(to.value(i))).second) refuse("Enumeration: Invalid duplicated value in enumeration");
}

}  // namespace

TEGULA_CAPI std::int32_t tiledb_enumeration_alloc(ContextHandle* context, const char* name, std::int32_t type,
                                                  std::uint32_t values_per_cell, int ordered, const void* data,
                                                  std::uint64_t data_size, const void* offsets,
                                                  std::uint64_t offsets_size, EnumerationHandle** handle) {
  return enter(context, [&](const auto&) {
    auto made = std::make_shared<Enumeration>();
    made->name = given(name, "enumeration name");
    if (made->name.empty()) refuse("Enumeration: Enumeration name must not be empty");
    made->type = datatype_of(type);
    if (values_per_cell == 0) refuse("Enumeration: Invalid cell_val_num of 0");
    made->values_per_cell = values_per_cell;
    made->ordered = ordered != 0;
    append(*made, view_of(data, data_size, "data"), view_of(offsets, offsets_size, "offsets"));
    give(handle, EnumerationHandle{std::move(made)});
  });
}

TEGULA_CAPI void tiledb_enumeration_free(EnumerationHandle** enumeration) { free_handle(enumeration); }

TEGULA_CAPI std::int32_t tiledb_enumeration_extend(ContextHandle* context, EnumerationHandle* old, const void* data,
                                                   std::uint64_t data_size, const void* offsets,
                                                   std::uint64_t offsets_size, EnumerationHandle** handle) {
  return enter(context, [&](const auto&) {
    auto made = std::make_shared<Enumeration>(enumeration_of(old));
    if (data_size == 0 && offsets_size == 0)
      refuse("Enumeration: Unable to extend an enumeration without a data buffer");
    append(*made, view_of(data, data_size, "data"), view_of(offsets, offsets_size, "offsets"));
    give(handle, EnumerationHandle{std::move(made)});
  });
}

TEGULA_CAPI std::int32_t tiledb_enumeration_get_name(ContextHandle* context, EnumerationHandle* enumeration,
                                                     TextHandle** name) {
  return enter(context, [&](const auto&) { give(name, TextHandle{enumeration_of(enumeration).name}); });
}

TEGULA_CAPI std::int32_t tiledb_enumeration_get_type(ContextHandle* context, EnumerationHandle* enumeration,
                                                     std::int32_t* type) {
  return enter(context, [&](const auto&) { out(type) = *tiledb_code(enumeration_of(enumeration).type); });
}

TEGULA_CAPI std::int32_t tiledb_enumeration_get_cell_val_num(ContextHandle* context, EnumerationHandle* enumeration,
                                                             std::uint32_t* count) {
  return enter(context, [&](const auto&) { out(count) = enumeration_of(enumeration).values_per_cell; });
}

TEGULA_CAPI std::int32_t tiledb_enumeration_get_ordered(ContextHandle* context, EnumerationHandle* enumeration,
                                                        int* ordered) {
  return enter(context, [&](const auto&) { out(ordered) = enumeration_of(enumeration).ordered ? 1 : 0; });
}

TEGULA_CAPI std::int32_t tiledb_enumeration_get_data(ContextHandle* context, EnumerationHandle* enumeration,
                                                     const void** data, std::uint64_t* size) {
  return enter(context, [&](const auto&) {
    const Bytes& found = enumeration_of(enumeration).data;
    out(data) = found.empty() ? nullptr : found.data();
    out(size) = found.size();
  });
}

TEGULA_CAPI std::int32_t tiledb_enumeration_get_offsets(ContextHandle* context, EnumerationHandle* enumeration,
                                                        const void** offsets, std::uint64_t* size) {
  return enter(context, [&](const auto&) {
    const auto& found = enumeration_of(enumeration).offsets;
    out(offsets) = found.empty() ? nullptr : found.data();
    out(size) = found.size() * sizeof(std::uint64_t);
  });
}

TEGULA_CAPI std::int32_t tiledb_enumeration_get_value_index(ContextHandle* context, EnumerationHandle* enumeration,
                                                            const void* value, std::uint64_t size, int* exist,
                                                            std::uint64_t* index) {
  return enter(context, [&](const auto&) {
    const Enumeration& found = enumeration_of(enumeration);
    const ByteView wanted = view_of(value, size, "value");
    out(exist) = 0;
    for (std::size_t i = 0; i < found.count(); ++i) {
      if (text_of(found.value(i)) != text_of(wanted)) continue;
      out(index) = i;
      *exist = 1;
      return;
    }
  });
}

TEGULA_CAPI std::int32_t tiledb_enumeration_dump_str(ContextHandle* context, EnumerationHandle* enumeration,
                                                     TextHandle** text) {
  return enter(context, [&](const auto&) {
    const Enumeration& e = enumeration_of(enumeration);
    give(text,
         TextHandle{fmt::format(
             "### Enumeration ###\n- Name: {}\n- Type: {}\n- Cell Val Num: {}\n- Ordered: {}\n- Element Count: {}\n",
             e.name, tiledb_name(*tiledb_code(e.type)),
             e.values_per_cell == kVar ? "VAR" : std::to_string(e.values_per_cell), e.ordered, e.count())});
  });
}

}  // namespace tegula::capi
