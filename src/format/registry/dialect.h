// How the values of an array are spelled.
#pragma once

#include "query/request/value_text.h"
#include "tegula/schema.h"

namespace tegula {

Dialect dialect_of(const Schema& schema);

}  // namespace tegula
