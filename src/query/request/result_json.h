// Results as one JSON object.
#pragma once

#include <string>

#include "query/request/value_text.h"
#include "tegula/columns.h"

namespace tegula {

// {"shape": [...] or null, "fields": {name: [values...]}}, values flat in result order; without a line end.
std::string result_json(const Batch& batch, Dialect dialect);

}  // namespace tegula
