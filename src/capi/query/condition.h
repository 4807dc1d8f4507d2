// Query conditions: trees of comparisons with raw values, as callers make them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "capi/core/handles.h"
#include "query/language/condition_tree.h"
#include "tegula/schema.h"

namespace tegula::capi {

// Immutable. Negations are pushed down to the comparisons.
using ConditionRoot = std::shared_ptr<const ConditionTree>;

struct ConditionHandle {
  static constexpr std::string_view kName = "query condition";
  ConditionRoot root;  // null: empty
};

// In the language of conditions (docs/conditions.md). Throws Refusal for fields that are not there and for values of
// another size than the field's.
std::string condition_text(const ConditionTree& tree, const Schema& schema);

}  // namespace tegula::capi
