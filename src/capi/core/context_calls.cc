#include <atomic>

#include "capi/core/context.h"
#include "capi/core/enums.h"

namespace tegula::capi {

namespace {

std::int32_t make_context(ConfigHandle* config, ContextHandle** context, ErrorHandle** error) {
  return enter_bare(error, [&] {
    static std::atomic<unsigned> contexts = 0;
    auto state = std::make_shared<ContextState>();
    if (config) state->config = checked(config).config;
    state->number = ++contexts;
    give(context, ContextHandle{std::move(state)});
  });
}

}  // namespace

TEGULA_CAPI std::int32_t tiledb_ctx_alloc(ConfigHandle* config, ContextHandle** context) {
  return make_context(config, context, nullptr);
}

TEGULA_CAPI std::int32_t tiledb_ctx_alloc_with_error(ConfigHandle* config, ContextHandle** context,
                                                     ErrorHandle** error) {
  return make_context(config, context, error);
}

TEGULA_CAPI void tiledb_ctx_free(ContextHandle** context) { free_handle(context); }

TEGULA_CAPI std::int32_t tiledb_ctx_get_config(ContextHandle* context, ConfigHandle** config) {
  return enter(context, [&](const auto& state) { give(config, ConfigHandle{state->config}); });
}

TEGULA_CAPI std::int32_t tiledb_ctx_get_last_error(ContextHandle* context, ErrorHandle** error) {
  return enter(context, [&](const auto& state) {
    out(error) = nullptr;
    const std::lock_guard lock(state->mutex);
    if (state->last_error) give(error, ErrorHandle{*state->last_error});
  });
}

TEGULA_CAPI std::int32_t tiledb_ctx_is_supported_fs(ContextHandle* context, std::int32_t filesystem,
                                                    std::int32_t* supported) {
  return enter(context, [&](const auto&) { out(supported) = supports(Filesystem{filesystem}) ? 1 : 0; });
}

TEGULA_CAPI std::int32_t tiledb_ctx_cancel_tasks(ContextHandle* context) {
  return enter(context, [&](const auto& state) { state->cancel.request(); });
}

// Tags go with requests to a REST server, which is never asked.
TEGULA_CAPI std::int32_t tiledb_ctx_set_tag(ContextHandle* context, const char* key, const char* value) {
  return enter(context, [&](const auto&) { given(key, "tag"), given(value, "tag value"); });
}

TEGULA_CAPI std::int32_t tiledb_ctx_get_data_protocol(ContextHandle* context, const char* uri, std::int32_t* protocol) {
  return enter(context, [&](const auto&) {
    given(uri, "URI");
    out(protocol) = 0;
  });
}

TEGULA_CAPI void tiledb_error_free(ErrorHandle** error) { free_handle(error); }

TEGULA_CAPI std::int32_t tiledb_error_message(ErrorHandle* error, const char** text) {
  if (!is_live(error, ErrorHandle::kName)) return kInvalidError;
  return enter_bare(nullptr, [&] { out(text) = error->text.empty() ? nullptr : error->text.c_str(); });
}

TEGULA_CAPI std::int32_t tiledb_status_code(std::int32_t status) { return status; }

}  // namespace tegula::capi
