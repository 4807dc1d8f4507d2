// Aggregates written as text, "total=sum(x), count()": parse_aggregates() of tegula/query.h, and the names in it.
#pragma once

#include <optional>
#include <string_view>

#include "tegula/query.h"

namespace tegula {

// "count", "sum", ...
std::string_view name_of(AggregateOp op);
// No value for a name that is none.
std::optional<AggregateOp> find_aggregate(std::string_view name);

}  // namespace tegula
