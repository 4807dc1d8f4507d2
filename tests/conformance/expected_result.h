// What a case of the corpus expects, and how it compares with what was read.
#pragma once

#include <optional>
#include <string>

#include "base/json.h"

namespace tegula::conformance {

// One form for values that may be written in two: text or its hex, a long text or its repetition, 0 / 1 or booleans.
Json plain(const Json& value);

// Values of each expected field as flat lists. `named`: the result is {field: values}.
Json expected_fields(const Json& check, bool named);

// What differs between the check and {"shape", "fields"}, or nothing.
std::optional<std::string> difference(const Json& check, bool named, const Json& answer);

}  // namespace tegula::conformance
