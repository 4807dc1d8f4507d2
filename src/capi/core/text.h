// Texts that callers hold as handles (tiledb_string_t).
#pragma once

#include <string>

#include "capi/core/handles.h"

namespace tegula::capi {

struct TextHandle {
  static constexpr std::string_view kName = "string";
  std::string text;
};

// A copy for the caller that free() frees.
char* malloc_text(const std::string& text);

}  // namespace tegula::capi
