// Metadata values from text.
#pragma once

#include <string>

#include "tegula/array.h"

namespace tegula::cli {

// JSON text, or plain words taken as text. For TileDB a typed value: `type` or, when that is empty, the one JSON
// suggests. Throws invalid_argument.
MetaValue meta_value(const std::string& text, const std::string& type, bool typed);

}  // namespace tegula::cli
