#include "capi/not_built.h"

#include "capi/core/context.h"

namespace tegula::capi {

namespace {

// The first argument of nearly all of them is the context. What it is is looked up, not followed, so that the others
// only lack the text.
std::int32_t not_built(const void* maybe_context, const char* name) noexcept {
  if (!is_live(maybe_context, ContextHandle::kName)) return kError;
  const auto& state = static_cast<const ContextHandle*>(maybe_context)->state;
  state->fail(std::string("tegula: ") + name + " is not built yet; the program needs the original library");
  return kError;
}

}  // namespace

#define TEGULA_NOT_BUILT(name) \
  TEGULA_CAPI std::int32_t name(const void* maybe_context) { return not_built(maybe_context, #name); }
TEGULA_NOT_BUILT(tiledb_array_delete_fragments_list)
TEGULA_NOT_BUILT(tiledb_array_schema_set_dimension_label_filter_list)
TEGULA_NOT_BUILT(tiledb_array_schema_set_dimension_label_tile_extent)
TEGULA_NOT_BUILT(tiledb_buffer_alloc)
TEGULA_NOT_BUILT(tiledb_buffer_free)
TEGULA_NOT_BUILT(tiledb_buffer_get_data)
TEGULA_NOT_BUILT(tiledb_buffer_get_type)
TEGULA_NOT_BUILT(tiledb_buffer_list_alloc)
TEGULA_NOT_BUILT(tiledb_buffer_list_flatten)
TEGULA_NOT_BUILT(tiledb_buffer_list_free)
TEGULA_NOT_BUILT(tiledb_buffer_list_get_buffer)
TEGULA_NOT_BUILT(tiledb_buffer_list_get_num_buffers)
TEGULA_NOT_BUILT(tiledb_buffer_list_get_total_size)
TEGULA_NOT_BUILT(tiledb_buffer_set_data)
TEGULA_NOT_BUILT(tiledb_buffer_set_type)
TEGULA_NOT_BUILT(tiledb_consolidation_plan_create_with_mbr)
TEGULA_NOT_BUILT(tiledb_consolidation_plan_dump_json_str)
TEGULA_NOT_BUILT(tiledb_consolidation_plan_free)
TEGULA_NOT_BUILT(tiledb_consolidation_plan_free_json_str)
TEGULA_NOT_BUILT(tiledb_consolidation_plan_get_fragment_uri)
TEGULA_NOT_BUILT(tiledb_consolidation_plan_get_num_fragments)
TEGULA_NOT_BUILT(tiledb_consolidation_plan_get_num_nodes)
TEGULA_NOT_BUILT(tiledb_deserialize_array)
TEGULA_NOT_BUILT(tiledb_deserialize_array_create)
TEGULA_NOT_BUILT(tiledb_deserialize_array_metadata)
TEGULA_NOT_BUILT(tiledb_deserialize_array_non_empty_domain_all_dimensions)
TEGULA_NOT_BUILT(tiledb_deserialize_array_nonempty_domain)
TEGULA_NOT_BUILT(tiledb_deserialize_array_open)
TEGULA_NOT_BUILT(tiledb_deserialize_array_schema)
TEGULA_NOT_BUILT(tiledb_deserialize_array_schema_evolution)
TEGULA_NOT_BUILT(tiledb_deserialize_config)
TEGULA_NOT_BUILT(tiledb_deserialize_fragment_info)
TEGULA_NOT_BUILT(tiledb_deserialize_fragment_info_request)
TEGULA_NOT_BUILT(tiledb_deserialize_group)
TEGULA_NOT_BUILT(tiledb_deserialize_group_metadata)
TEGULA_NOT_BUILT(tiledb_deserialize_query)
TEGULA_NOT_BUILT(tiledb_deserialize_query_and_array)
TEGULA_NOT_BUILT(tiledb_deserialize_query_est_result_sizes)
TEGULA_NOT_BUILT(tiledb_filestore_buffer_export)
TEGULA_NOT_BUILT(tiledb_filestore_buffer_import)
TEGULA_NOT_BUILT(tiledb_filestore_schema_create)
TEGULA_NOT_BUILT(tiledb_filestore_size)
TEGULA_NOT_BUILT(tiledb_filestore_uri_export)
TEGULA_NOT_BUILT(tiledb_filestore_uri_import)
TEGULA_NOT_BUILT(tiledb_fragment_info_dump)
TEGULA_NOT_BUILT(tiledb_group_consolidate_metadata)
TEGULA_NOT_BUILT(tiledb_group_delete_group)
TEGULA_NOT_BUILT(tiledb_group_vacuum_metadata)
TEGULA_NOT_BUILT(tiledb_handle_array_delete_fragments_list_request)
TEGULA_NOT_BUILT(tiledb_handle_array_delete_fragments_timestamps_request)
TEGULA_NOT_BUILT(tiledb_handle_consolidation_plan_request)
TEGULA_NOT_BUILT(tiledb_handle_load_array_schema_request)
TEGULA_NOT_BUILT(tiledb_handle_load_enumerations_request)
TEGULA_NOT_BUILT(tiledb_handle_query_plan_request)
TEGULA_NOT_BUILT(tiledb_heap_profiler_enable)
TEGULA_NOT_BUILT(tiledb_query_add_update_value)
TEGULA_NOT_BUILT(tiledb_query_condition_set_use_enumeration)
TEGULA_NOT_BUILT(tiledb_query_get_plan)
TEGULA_NOT_BUILT(tiledb_query_get_relevant_fragment_num)
TEGULA_NOT_BUILT(tiledb_serialize_array)
TEGULA_NOT_BUILT(tiledb_serialize_array_max_buffer_sizes)
TEGULA_NOT_BUILT(tiledb_serialize_array_metadata)
TEGULA_NOT_BUILT(tiledb_serialize_array_non_empty_domain_all_dimensions)
TEGULA_NOT_BUILT(tiledb_serialize_array_nonempty_domain)
TEGULA_NOT_BUILT(tiledb_serialize_array_open)
TEGULA_NOT_BUILT(tiledb_serialize_array_schema)
TEGULA_NOT_BUILT(tiledb_serialize_array_schema_evolution)
TEGULA_NOT_BUILT(tiledb_serialize_config)
TEGULA_NOT_BUILT(tiledb_serialize_fragment_info)
TEGULA_NOT_BUILT(tiledb_serialize_fragment_info_request)
TEGULA_NOT_BUILT(tiledb_serialize_group)
TEGULA_NOT_BUILT(tiledb_serialize_group_metadata)
TEGULA_NOT_BUILT(tiledb_serialize_query)
TEGULA_NOT_BUILT(tiledb_serialize_query_est_result_sizes)
TEGULA_NOT_BUILT(tiledb_subarray_get_label_name)
TEGULA_NOT_BUILT(tiledb_subarray_get_label_range)
TEGULA_NOT_BUILT(tiledb_subarray_get_label_range_var)
TEGULA_NOT_BUILT(tiledb_subarray_get_label_range_var_size)
TEGULA_NOT_BUILT(tiledb_vfs_create_bucket)
TEGULA_NOT_BUILT(tiledb_vfs_empty_bucket)
TEGULA_NOT_BUILT(tiledb_vfs_is_bucket)
TEGULA_NOT_BUILT(tiledb_vfs_is_empty_bucket)
TEGULA_NOT_BUILT(tiledb_vfs_remove_bucket)
#undef TEGULA_NOT_BUILT

// Profiles have no context: their error goes where the caller says.
#define TEGULA_NO_PROFILE(name, ...)                                                                           \
  TEGULA_CAPI std::int32_t name(__VA_ARGS__, ErrorHandle** error) {                                            \
    give_error(error, {kError, "tegula: " #name " is not built yet; the program needs the original library"}); \
    return kError;                                                                                             \
  }
TEGULA_NO_PROFILE(tiledb_profile_alloc, const void*, const void*, void*)
TEGULA_NO_PROFILE(tiledb_profile_dump_str, const void*, void*)
TEGULA_NO_PROFILE(tiledb_profile_get_dir, const void*, void*)
TEGULA_NO_PROFILE(tiledb_profile_get_name, const void*, void*)
TEGULA_NO_PROFILE(tiledb_profile_get_param, const void*, const void*, void*)
TEGULA_NO_PROFILE(tiledb_profile_load, const void*)
TEGULA_NO_PROFILE(tiledb_profile_remove, const void*, const void*)
TEGULA_NO_PROFILE(tiledb_profile_save, const void*, std::uint8_t)
TEGULA_NO_PROFILE(tiledb_profile_set_param, const void*, const void*, const void*)
#undef TEGULA_NO_PROFILE

TEGULA_CAPI void tiledb_profile_free(void**) {}  // there is never one

}  // namespace tegula::capi
