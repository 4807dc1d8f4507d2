#include "capi/core/config.h"
#include "capi/core/context.h"
#include "capi/core/uris.h"

namespace tegula::capi {

TEGULA_CAPI std::int32_t tiledb_config_alloc(ConfigHandle** config, ErrorHandle** error) {
  return enter_bare(error, [&] { give(config, ConfigHandle{}); });
}

TEGULA_CAPI void tiledb_config_free(ConfigHandle** config) { free_handle(config); }

TEGULA_CAPI std::int32_t tiledb_config_set(ConfigHandle* config, const char* name, const char* value,
                                           ErrorHandle** error) {
  return enter_bare(error, [&] { checked(config).config.set(given(name, "parameter"), given(value, "value")); });
}

TEGULA_CAPI std::int32_t tiledb_config_get(ConfigHandle* config, const char* name, const char** value,
                                           ErrorHandle** error) {
  return enter_bare(error, [&] {
    const std::string* found = checked(config).config.find(std::string(given(name, "parameter")));
    out(value) = found ? found->c_str() : nullptr;
  });
}

TEGULA_CAPI std::int32_t tiledb_config_unset(ConfigHandle* config, const char* name, ErrorHandle** error) {
  return enter_bare(error, [&] { checked(config).config.unset(given(name, "parameter")); });
}

TEGULA_CAPI std::int32_t tiledb_config_load_from_file(ConfigHandle* config, const char* file, ErrorHandle** error) {
  return enter_bare(error, [&] { checked(config).config.load(local_path(given(file, "file name"))); });
}

TEGULA_CAPI std::int32_t tiledb_config_save_to_file(ConfigHandle* config, const char* file, ErrorHandle** error) {
  return enter_bare(error, [&] { checked(config).config.save(local_path(given(file, "file name"))); });
}

TEGULA_CAPI std::int32_t tiledb_config_compare(ConfigHandle* a, ConfigHandle* b, std::uint8_t* equal) {
  return enter_bare(nullptr, [&] { out(equal) = checked(a).config.all() == checked(b).config.all() ? 1 : 0; });
}

TEGULA_CAPI std::int32_t tiledb_config_iter_alloc(ConfigHandle* config, const char* prefix, ConfigIterHandle** iter,
                                                  ErrorHandle** error) {
  return enter_bare(error, [&] {
    give(iter, ConfigIterHandle{checked(config).config.all(prefix ? prefix : ""), {}});
    (*iter)->at = (*iter)->all.begin();
  });
}

TEGULA_CAPI std::int32_t tiledb_config_iter_reset(ConfigHandle* config, ConfigIterHandle* iter, const char* prefix,
                                                  ErrorHandle** error) {
  return enter_bare(error, [&] {
    ConfigIterHandle& reset = checked(iter);
    reset.all = checked(config).config.all(prefix ? prefix : "");
    reset.at = reset.all.begin();
  });
}

TEGULA_CAPI std::int32_t tiledb_config_iter_here(ConfigIterHandle* iter, const char** name, const char** value,
                                                 ErrorHandle** error) {
  return enter_bare(error, [&] {
    const ConfigIterHandle& here = checked(iter);
    const bool done = here.at == here.all.end();
    out(name) = done ? nullptr : here.at->first.c_str();
    out(value) = done ? nullptr : here.at->second.c_str();
  });
}

TEGULA_CAPI std::int32_t tiledb_config_iter_next(ConfigIterHandle* iter, ErrorHandle** error) {
  return enter_bare(error, [&] {
    ConfigIterHandle& here = checked(iter);
    if (here.at != here.all.end()) ++here.at;
  });
}

TEGULA_CAPI std::int32_t tiledb_config_iter_done(ConfigIterHandle* iter, std::int32_t* done, ErrorHandle** error) {
  return enter_bare(error, [&] {
    const ConfigIterHandle& here = checked(iter);
    out(done) = here.at == here.all.end() ? 1 : 0;
  });
}

TEGULA_CAPI void tiledb_config_iter_free(ConfigIterHandle** iter) { free_handle(iter); }

}  // namespace tegula::capi
