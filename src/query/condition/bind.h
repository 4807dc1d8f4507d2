// From the text of a condition to tests on fields: names are looked up, literals take the types of the fields.
#pragma once

#include <span>

#include "query/columns/field.h"
#include "query/evaluate/bound_condition.h"
#include "query/language/expression.h"

namespace tegula {

// Throws as Condition::bind does; messages mark the place in the text.
BoundCondition bind_expression(const Expression& expression, std::span<const FieldInfo> fields, Rules rules);

}  // namespace tegula
