// Conditions bound to fields: evaluated on columns, and on the statistics of tiles.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "query/columns/field.h"
#include "query/evaluate/field_stats.h"
#include "query/language/condition_tree.h"
#include "query/language/expression.h"
#include "tegula/columns.h"

namespace tegula {

struct BoundCondition;

// Immutable and cheap to copy; every member function may be called from any thread.
class Condition {
 public:
  // An empty condition: matches every cell, needs no field.
  Condition();

  // Throws invalid_argument for unknown fields, literals that do not fit a field's type, and comparisons a type does
  // not have (`<` on an unordered enumeration); unsupported for types that cannot be compared at all.
  static Condition bind(const Expression& expression, std::span<const FieldInfo> fields, Rules rules);
  // Parses and binds; empty or blank text gives the empty condition.
  static Condition bind(std::string_view text, std::span<const FieldInfo> fields, Rules rules);
  // A stored tree, under TileDB's rules: an empty value means null for a field of fixed cells and '' for a variable
  // one, whatever `null` says. Fields that `fields` lacks are taken as absent everywhere. Throws corrupt when a value
  // has the wrong size for its field.
  static Condition from_tree(const ConditionTree& tree, std::span<const FieldInfo> fields);

  bool empty() const;
  // The fields it reads, each once; columns and statistics are given in this order.
  const std::vector<FieldInfo>& fields() const;

  // mask[i] becomes 1 where cell first + i matches, else 0. One view per field, in the order of fields().
  void evaluate(std::span<const ColumnView> columns, std::uint64_t first, std::span<std::uint8_t> mask) const;
  // Over all cells of a batch that holds the fields by name; fields it lacks are absent. Resizes the mask.
  void evaluate(const Batch& batch, std::vector<std::uint8_t>& mask) const;

  // Conservative: `none` and `all` only when the statistics prove it.
  Match may_match(std::span<const FieldStats> stats) const;

  // The opposite, as TileDB negates: pushed down to the comparisons, so that nulls match neither.
  Condition negated() const;
  // Negations pushed down, values in the types of the fields. Throws unsupported for what a tree cannot say:
  // arithmetic, comparisons between fields, and, for the empty condition, anything at all.
  ConditionTree tree() const;

 private:
  explicit Condition(std::shared_ptr<const BoundCondition> bound) : bound_(std::move(bound)) {}
  std::shared_ptr<const BoundCondition> bound_;
};

}  // namespace tegula
