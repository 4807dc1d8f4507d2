// How the values of an array are spelled.
#pragma once

#include "query/request/value_text.h"
#include "tegula/query.h"
#include "tegula/schema.h"

namespace tegula {

Dialect dialect_of(const Schema& schema);
// The same for the result of a query, which may ask for libtiledb's spelling.
Dialect dialect_of(const Query& query, const Schema& schema);

}  // namespace tegula
