#include "format/tiledb/read/deletes.h"

#include <algorithm>

#include "base/context.h"
#include "base/fail.h"
#include "query/language/condition_tree.h"

namespace tegula::tiledb {

namespace {

std::vector<FieldInfo> fields_of(const ArraySchema& schema) {
  std::vector<FieldInfo> fields;
  for (const SchemaAttribute& a : schema.attributes)
    fields.push_back({a.name, a.type, a.values_per_cell, a.nullable, false, nullptr});
  for (const SchemaDimension& d : schema.dimensions)
    fields.push_back({d.name, d.type, d.values_per_cell, false, true, nullptr});
  return fields;
}

// A stored null and a stored empty value have the same bytes; for cells of fixed size, libraries disagree about which
// is meant.
void refuse_empty_values(const ConditionTree& tree, std::span<const FieldInfo> fields) {
  for (const ConditionTree& child : tree.children) refuse_empty_values(child, fields);
  if (tree.kind != ConditionTree::Kind::compare || !tree.value.empty() || tree.op == CompareOp::in ||
      tree.op == CompareOp::not_in)
    return;
  for (const FieldInfo& field : fields)
    if (field.name == tree.field && !field.var())
      fail(ErrorKind::unsupported,
           "the stored delete compares '{}' with nothing, and libtiledb refuses every read after it; open the array at "
           "a "
           "time before the delete",
           tree.field);
}

}  // namespace

std::vector<FragmentDelete> deletes_of(const Fragment& fragment, std::span<const TimedCondition> conditions) {
  std::vector<FragmentDelete> deletes;
  if (conditions.empty()) return deletes;
  std::vector<FieldInfo> fields;
  const std::vector<std::string>* processed = nullptr;
  for (const TimedCondition& condition : conditions) {
    if (condition.time < fragment.first_time()) continue;
    if (!processed) {
      processed = &fragment.processed_conditions();
      fields = fields_of(fragment.schema());
    }
    if (std::find(processed->begin(), processed->end(), condition.marker) != processed->end()) continue;
    const Context doing([&] { return condition.marker; });
    refuse_empty_values(condition.condition.stays, fields);
    deletes.push_back({Condition::from_tree(condition.condition.stays, fields), condition.time,
                       fragment.has_timestamps() && condition.time <= fragment.last_time(), condition.marker});
  }
  return deletes;
}

}  // namespace tegula::tiledb
