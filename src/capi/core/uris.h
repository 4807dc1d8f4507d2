// URIs as callers give and get them.
#pragma once

#include <string>
#include <string_view>

#include "capi/core/context.h"

namespace tegula::capi {

// With a scheme: a plain path becomes file:///..., taken from the folder that the process was in when the library was
// loaded. A slash at the end stays.
std::string absolute_uri(std::string_view given);

// What the engine opens: a path for file://; for mem:// a place of this context.
std::string engine_uri(std::string_view given, const ContextState& context);

// The path behind file://; any other text as it is.
std::string local_path(std::string_view uri);

}  // namespace tegula::capi
