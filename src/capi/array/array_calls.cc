#include "capi/array/array.h"
#include "capi/core/text.h"
#include "capi/core/uris.h"
#include "format/tiledb/create.h"
#include "format/tiledb/listing/object_kind.h"
#include "store/open/open_store.h"
#include "tegula/error.h"

namespace tegula::capi {

namespace {

QueryType query_type_of(std::int32_t type) {
  if (type < 0 || type > 4) refuse("C API: Invalid query type {}", type);
  return static_cast<QueryType>(type);
}

void load_schema(const std::shared_ptr<ContextState>& context, const Config& config, const char* uri,
                 SchemaHandle** handle) {
  OpenOptions options = open_options(config);
  options.at = {0, UINT64_MAX};
  const std::string absolute = absolute_uri(given(uri, "URI"));
  const std::shared_ptr<Array> array =
      open_engine(*context, absolute, options, "TileDB internal: Cannot open array; Array does not exist.");
  const auto snapshot = tiledb::tiledb_array(*array).snapshot();
  auto schema = std::make_shared<SchemaParts>(snapshot->schema(), snapshot->model().enumerations);
  schema->uri = absolute;
  give(handle, SchemaHandle{std::move(schema)});
}

}  // namespace

TEGULA_CAPI std::int32_t tiledb_array_create(ContextHandle* context, const char* uri, const SchemaHandle* handle) {
  return enter(context, [&](const std::shared_ptr<ContextState>& state) {
    const SchemaParts& schema = schema_of(handle);
    const std::string absolute = absolute_uri(given(uri, "URI"));
    CreateOptions options;
    options.key = encryption_key(state->config);
    options.at = schema.first_time;
    StoreOptions store_options;
    if (absolute.starts_with("s3://")) store_options.settings = storage_options(state->config);
    const std::shared_ptr<Store> store = open_store(engine_uri(absolute, *state), store_options);
    if (tiledb::probe(*store) == ObjectKind::array)
      refuse("Array: Cannot create array; Array '{}' already exists", absolute);
    tiledb::create_array(store, schema.stored(), schema.stored_enumerations(), options);
  });
}

TEGULA_CAPI std::int32_t tiledb_array_schema_load(ContextHandle* context, const char* uri, SchemaHandle** handle) {
  return enter(context, [&](const auto& state) { load_schema(state, state->config, uri, handle); });
}

TEGULA_CAPI std::int32_t tiledb_array_schema_load_with_config(ContextHandle* context, ConfigHandle* config,
                                                              const char* uri, SchemaHandle** handle) {
  return enter(context, [&](const auto& state) { load_schema(state, config_or(config, state->config), uri, handle); });
}

TEGULA_CAPI std::int32_t tiledb_array_alloc(ContextHandle* context, const char* uri, ArrayHandle** handle) {
  return enter(context, [&](const auto& state) {
    const std::string_view place = given(uri, "URI");
    if (place.empty()) refuse("C API: Failed to create TileDB array object; Invalid URI");
    give(handle, ArrayHandle{std::make_shared<OpenArray>(state, place)});
  });
}

TEGULA_CAPI void tiledb_array_free(ArrayHandle** handle) { free_handle(handle); }

TEGULA_CAPI std::int32_t tiledb_array_open(ContextHandle* context, ArrayHandle* handle, std::int32_t type) {
  return enter(context, [&](const auto&) { array_of(handle).open(query_type_of(type)); });
}

TEGULA_CAPI std::int32_t tiledb_array_reopen(ContextHandle* context, ArrayHandle* handle) {
  return enter(context, [&](const auto&) { array_of(handle).reopen(); });
}

TEGULA_CAPI std::int32_t tiledb_array_close(ContextHandle* context, ArrayHandle* handle) {
  return enter(context, [&](const auto&) { array_of(handle).close(); });
}

TEGULA_CAPI std::int32_t tiledb_array_is_open(ContextHandle* context, ArrayHandle* handle, std::int32_t* open) {
  return enter(context, [&](const auto&) { out(open) = array_of(handle).is_open() ? 1 : 0; });
}

TEGULA_CAPI std::int32_t tiledb_array_get_query_type(ContextHandle* context, ArrayHandle* handle, std::int32_t* type) {
  return enter(context, [&](const auto&) { out(type) = static_cast<std::int32_t>(array_of(handle).type()); });
}

TEGULA_CAPI std::int32_t tiledb_array_get_uri(ContextHandle* context, ArrayHandle* handle, const char** uri) {
  return enter(context, [&](const auto&) { out(uri) = array_of(handle).uri().c_str(); });
}

TEGULA_CAPI std::int32_t tiledb_array_get_schema(ContextHandle* context, ArrayHandle* handle, SchemaHandle** schema) {
  return enter(context, [&](const auto&) { give(schema, SchemaHandle{array_of(handle).schema()}); });
}

TEGULA_CAPI std::int32_t tiledb_array_set_config(ContextHandle* context, ArrayHandle* handle, ConfigHandle* config) {
  return enter(context, [&](const auto&) { array_of(handle).set_config(checked(config).config); });
}

TEGULA_CAPI std::int32_t tiledb_array_get_config(ContextHandle* context, ArrayHandle* handle, ConfigHandle** config) {
  return enter(context, [&](const auto&) { give(config, ConfigHandle{array_of(handle).config()}); });
}

TEGULA_CAPI std::int32_t tiledb_array_set_open_timestamp_start(ContextHandle* context, ArrayHandle* handle,
                                                               std::uint64_t time) {
  return enter(context, [&](const auto&) { array_of(handle).set_start(time); });
}

TEGULA_CAPI std::int32_t tiledb_array_set_open_timestamp_end(ContextHandle* context, ArrayHandle* handle,
                                                             std::uint64_t time) {
  return enter(context, [&](const auto&) { array_of(handle).set_end(time); });
}

TEGULA_CAPI std::int32_t tiledb_array_get_open_timestamp_start(ContextHandle* context, ArrayHandle* handle,
                                                               std::uint64_t* time) {
  return enter(context, [&](const auto&) { out(time) = array_of(handle).at_start(); });
}

TEGULA_CAPI std::int32_t tiledb_array_get_open_timestamp_end(ContextHandle* context, ArrayHandle* handle,
                                                             std::uint64_t* time) {
  return enter(context, [&](const auto&) { out(time) = array_of(handle).at_end(); });
}

TEGULA_CAPI std::int32_t tiledb_array_encryption_type(ContextHandle* context, const char* uri, std::int32_t* type) {
  return enter(context, [&](const auto& state) {
    out(type) = 0;
    OpenOptions options = open_options(state->config);
    options.key.clear();
    try {
      open_engine(*state, absolute_uri(given(uri, "URI")), options,
                  "TileDB internal: Cannot open array; Array does not exist.");
    } catch (const Error& error) {
      // Told from the first bytes of the schema, which say whether a key is needed.
      if (error.kind() != ErrorKind::permission && error.kind() != ErrorKind::invalid_argument) throw;
      *type = 1;
    }
  });
}

TEGULA_CAPI std::int32_t tiledb_array_get_enumeration(ContextHandle* context, const ArrayHandle* handle,
                                                      const char* name, EnumerationHandle** enumeration) {
  return enter(context, [&](const auto&) {
    const std::shared_ptr<SchemaParts> schema = array_of(handle).schema();
    const auto* found = schema->enumeration(given(name, "enumeration name"));
    if (!found)
      refuse("ArraySchema: Unable to check if unknown enumeration is loaded. No enumeration named '{}'.", name);
    give(enumeration, EnumerationHandle{*found});
  });
}

// Enumerations are read with the schema.
TEGULA_CAPI std::int32_t tiledb_array_load_all_enumerations(ContextHandle* context, const ArrayHandle* handle) {
  return enter(context, [&](const auto&) { array_of(handle).stored_schema(); });
}

TEGULA_CAPI std::int32_t tiledb_array_load_enumerations_all_schemas(ContextHandle* context, const ArrayHandle* handle) {
  return enter(context, [&](const auto&) { array_of(handle).stored_schema(); });
}

}  // namespace tegula::capi
