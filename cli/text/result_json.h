// Results as one JSON object.
#pragma once

#include <string>

#include "tegula/columns.h"
#include "text/value_text.h"

namespace tegula::cli {

// {"shape": [...] or null, "fields": {name: [values...]}}, values flat in result order; without a line end.
std::string result_json(const Batch& batch, Dialect dialect);

}  // namespace tegula::cli
