#include "capi/core/text.h"
#include "capi/query/query.h"

namespace tegula::capi {

namespace {

template <class T>
void set_buffer(CallerBuffer<std::byte>& buffer, T* data, std::uint64_t* size) {
  if (!size) refuse("C API: Invalid buffer size: it is null");
  buffer.set(reinterpret_cast<std::byte*>(data), size);
}

const QueryState::Written& written_at(QueryState& query, std::uint64_t index) {
  if (query.type() != QueryType::write) refuse("Query: Cannot get fragment; Applicable only to WRITE mode");
  if (index >= query.written().size()) refuse("Query: Cannot get fragment; Invalid fragment index {}", index);
  return query.written()[static_cast<std::size_t>(index)];
}

}  // namespace

TEGULA_CAPI std::int32_t tiledb_query_alloc(ContextHandle* context, ArrayHandle* array, std::int32_t type,
                                            QueryHandle** handle) {
  return enter(context, [&](const auto&) {
    const std::shared_ptr<OpenArray>& opened = checked(array).array;
    if (!opened->is_open()) refuse("C API: Cannot create query; Input array is not open");
    if (static_cast<std::int32_t>(opened->type()) != type)
      refuse("C API: Cannot create query; Array query type does not match declared query type");
    give(handle, QueryHandle{std::make_shared<QueryState>(opened, static_cast<QueryType>(type))});
  });
}

TEGULA_CAPI void tiledb_query_free(QueryHandle** handle) { free_handle(handle); }

TEGULA_CAPI std::int32_t tiledb_query_set_layout(ContextHandle* context, QueryHandle* handle, std::int32_t layout) {
  return enter(context, [&](const auto&) { query_of(handle).set_layout(order_of(layout)); });
}

TEGULA_CAPI std::int32_t tiledb_query_get_layout(ContextHandle* context, QueryHandle* handle, std::int32_t* layout) {
  return enter(context, [&](const auto&) { out(layout) = layout_of(query_of(handle).layout()); });
}

TEGULA_CAPI std::int32_t tiledb_query_set_subarray_t(ContextHandle* context, QueryHandle* handle,
                                                     const SubarrayHandle* subarray) {
  return enter(context, [&](const auto&) { query_of(handle).set_subarray(*checked(subarray).subarray); });
}

TEGULA_CAPI std::int32_t tiledb_query_get_subarray_t(ContextHandle* context, const QueryHandle* handle,
                                                     SubarrayHandle** subarray) {
  return enter(context, [&](const auto&) {
    give(subarray, SubarrayHandle{std::make_shared<Subarray>(*query_of(handle).subarray())});
  });
}

TEGULA_CAPI std::int32_t tiledb_query_set_condition(ContextHandle* context, QueryHandle* handle,
                                                    const ConditionHandle* condition) {
  return enter(context, [&](const auto&) { query_of(handle).set_condition(checked(condition).root); });
}

TEGULA_CAPI std::int32_t tiledb_query_set_config(ContextHandle* context, QueryHandle* handle, ConfigHandle* config) {
  return enter(context, [&](const auto&) { query_of(handle).set_config(checked(config).config); });
}

TEGULA_CAPI std::int32_t tiledb_query_get_config(ContextHandle* context, QueryHandle* handle, ConfigHandle** config) {
  return enter(context, [&](const auto&) { give(config, ConfigHandle{query_of(handle).config()}); });
}

TEGULA_CAPI std::int32_t tiledb_query_get_array(ContextHandle* context, QueryHandle* handle, ArrayHandle** array) {
  return enter(context, [&](const auto&) { give(array, ArrayHandle{query_of(handle).array()}); });
}

TEGULA_CAPI std::int32_t tiledb_query_get_type(ContextHandle* context, QueryHandle* handle, std::int32_t* type) {
  return enter(context, [&](const auto&) { out(type) = static_cast<std::int32_t>(query_of(handle).type()); });
}

TEGULA_CAPI std::int32_t tiledb_query_set_data_buffer(ContextHandle* context, QueryHandle* handle, const char* name,
                                                      void* data, std::uint64_t* size) {
  return enter(context, [&](const auto&) {
    set_buffer(query_of(handle).buffers(given(name, "field name")).data, static_cast<std::byte*>(data), size);
  });
}

TEGULA_CAPI std::int32_t tiledb_query_set_offsets_buffer(ContextHandle* context, QueryHandle* handle, const char* name,
                                                         std::uint64_t* offsets, std::uint64_t* size) {
  return enter(context, [&](const auto&) {
    QueryState& query = query_of(handle);
    if (!query.field(given(name, "field name")).var())
      refuse("Query: Cannot set buffer; Input attribute/dimension '{}' is fixed-sized", name);
    set_buffer(query.buffers(name).offsets, offsets, size);
  });
}

TEGULA_CAPI std::int32_t tiledb_query_set_validity_buffer(ContextHandle* context, QueryHandle* handle, const char* name,
                                                          std::uint8_t* validity, std::uint64_t* size) {
  return enter(context, [&](const auto&) {
    QueryState& query = query_of(handle);
    if (!query.field(given(name, "field name")).nullable)
      refuse("Query: Cannot set buffer; Input attribute '{}' is not nullable", name);
    set_buffer(query.buffers(name).validity, validity, size);
  });
}

// Null where no buffer was set.
TEGULA_CAPI std::int32_t tiledb_query_get_data_buffer(ContextHandle* context, QueryHandle* handle, const char* name,
                                                      void** data, std::uint64_t** size) {
  return enter(context, [&](const auto&) {
    const FieldBuffers* found = query_of(handle).find_buffers(given(name, "field name"));
    out(data) = found ? found->data.data : nullptr;
    out(size) = found ? found->data.size : nullptr;
  });
}

TEGULA_CAPI std::int32_t tiledb_query_get_offsets_buffer(ContextHandle* context, QueryHandle* handle, const char* name,
                                                         std::uint64_t** offsets, std::uint64_t** size) {
  return enter(context, [&](const auto&) {
    const FieldBuffers* found = query_of(handle).find_buffers(given(name, "field name"));
    out(offsets) = found ? reinterpret_cast<std::uint64_t*>(found->offsets.data) : nullptr;
    out(size) = found ? found->offsets.size : nullptr;
  });
}

TEGULA_CAPI std::int32_t tiledb_query_get_validity_buffer(ContextHandle* context, QueryHandle* handle, const char* name,
                                                          std::uint8_t** validity, std::uint64_t** size) {
  return enter(context, [&](const auto&) {
    const FieldBuffers* found = query_of(handle).find_buffers(given(name, "field name"));
    out(validity) = found ? reinterpret_cast<std::uint8_t*>(found->validity.data) : nullptr;
    out(size) = found ? found->validity.size : nullptr;
  });
}

TEGULA_CAPI std::int32_t tiledb_query_submit(ContextHandle* context, QueryHandle* handle) {
  return enter(context, [&](const auto&) { query_of(handle).submit(); });
}

TEGULA_CAPI std::int32_t tiledb_query_finalize(ContextHandle* context, QueryHandle* handle) {
  return enter(context, [&](const auto&) { query_of(handle).finalize(); });
}

TEGULA_CAPI std::int32_t tiledb_query_submit_and_finalize(ContextHandle* context, QueryHandle* handle) {
  return enter(context, [&](const auto&) {
    query_of(handle).submit();
    query_of(handle).finalize();
  });
}

TEGULA_CAPI std::int32_t tiledb_query_get_status(ContextHandle* context, QueryHandle* handle, std::int32_t* status) {
  return enter(context, [&](const auto&) { out(status) = static_cast<std::int32_t>(query_of(handle).status()); });
}

TEGULA_CAPI std::int32_t tiledb_query_get_status_details(ContextHandle* context, QueryHandle* handle,
                                                         std::int32_t* details) {
  return enter(context, [&](const auto&) { out(details) = static_cast<std::int32_t>(query_of(handle).details()); });
}

TEGULA_CAPI std::int32_t tiledb_query_has_results(ContextHandle* context, QueryHandle* handle, std::int32_t* has) {
  return enter(context, [&](const auto&) { out(has) = query_of(handle).has_results() ? 1 : 0; });
}

TEGULA_CAPI std::int32_t tiledb_query_get_fragment_num(ContextHandle* context, const QueryHandle* handle,
                                                       std::uint32_t* count) {
  return enter(context, [&](const auto&) {
    QueryState& query = query_of(handle);
    if (query.type() != QueryType::write)
      refuse("Query: Cannot get number of fragments; Applicable only to WRITE mode");
    out(count) = static_cast<std::uint32_t>(query.written().size());
  });
}

TEGULA_CAPI std::int32_t tiledb_query_get_fragment_uri(ContextHandle* context, const QueryHandle* handle,
                                                       std::uint64_t index, const char** uri) {
  return enter(context, [&](const auto&) { out(uri) = written_at(query_of(handle), index).uri.c_str(); });
}

TEGULA_CAPI std::int32_t tiledb_query_get_fragment_timestamp_range(ContextHandle* context, const QueryHandle* handle,
                                                                   std::uint64_t index, std::uint64_t* first,
                                                                   std::uint64_t* last) {
  return enter(context, [&](const auto&) {
    const QueryState::Written& found = written_at(query_of(handle), index);
    out(first) = found.first_time;
    out(last) = found.last_time;
  });
}

}  // namespace tegula::capi
