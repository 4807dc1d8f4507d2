#include "capi/core/text.h"

#include <cstdlib>
#include <cstring>
#include <new>

#include "capi/core/context.h"

namespace tegula::capi {

char* malloc_text(const std::string& text) {
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (!copy) throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

TEGULA_CAPI std::int32_t tiledb_string_view(TextHandle* text, const char** data, std::size_t* length) {
  return enter_bare(nullptr, [&] {
    const std::string& view = checked(text).text;
    out(data) = view.data();
    out(length) = view.size();
  });
}

TEGULA_CAPI std::int32_t tiledb_string_free(TextHandle** text) {
  free_handle(text);
  return kOk;
}

}  // namespace tegula::capi
