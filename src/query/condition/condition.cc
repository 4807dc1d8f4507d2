#include "query/condition/condition.h"

#include <algorithm>

#include "base/fail.h"
#include "query/condition/bind.h"
#include "query/evaluate/bound_condition.h"

namespace tegula {
namespace {

using Kind = BoundNode::Kind;

// Formats have no "always" and "never": a comparison that every cell passes, or fails, stands for them.
void plain_constant(ConditionTree& tree, const FieldInfo& field) {
  const bool always = tree.op == CompareOp::always_true;
  tree.value.assign(field.cell_size(), std::byte{0});
  switch (cell_class(field)) {
    case CellClass::integer:
      tree.op = always ? CompareOp::ge : CompareOp::lt;
      store_integer(field.type, integer_min(field.type), tree.value.data());
      break;
    case CellClass::half:
    case CellClass::real32:
    case CellClass::real64: {
      // Every number, NaN too, differs from NaN, and none equals it. All bits set is a NaN in both byte orders.
      tree.op = always ? CompareOp::ne : CompareOp::eq;
      std::ranges::fill(tree.value, std::byte{0xFF});
      break;
    }
    default:
      tree.op = always ? CompareOp::ge : CompareOp::lt;
      break;
  }
}

ConditionTree tree_of(const BoundCondition& bound, std::uint32_t index) {
  const BoundNode& node = bound.nodes[index];
  ConditionTree tree;
  switch (node.kind) {
    case Kind::all:
    case Kind::any:
      tree.kind = node.kind == Kind::all ? ConditionTree::Kind::all : ConditionTree::Kind::any;
      for (const std::uint32_t arg : node.args) tree.children.push_back(tree_of(bound, arg));
      return tree;
    case Kind::leaf: {
      const LeafTest& test = bound.leaves[node.test];
      tree.op = test.inverted ? opposite(test.op) : test.op;
      tree.field = bound.fields[test.field].name;
      tree.null = test.null;
      tree.value = test.value;
      tree.offsets = test.offsets;
      if (tree.op == CompareOp::always_true || tree.op == CompareOp::always_false)
        plain_constant(tree, bound.fields[test.field]);
      return tree;
    }
    case Kind::constant:
      fail(ErrorKind::unsupported, "a condition that is stored cannot contain a bare True or False");
    case Kind::terms:
      fail(ErrorKind::unsupported, "a condition that is stored compares fields with values; it cannot calculate");
    case Kind::text_pair:
      fail(ErrorKind::unsupported, "a condition that is stored compares fields with values, not with each other");
  }
  return tree;
}

constexpr int kMaxTreeDepth = 400;

std::uint32_t add_tree(BoundCondition& bound, const ConditionTree& tree, std::span<const FieldInfo> fields, int depth) {
  if (depth > kMaxTreeDepth)
    fail(ErrorKind::corrupt, "a stored condition is nested deeper than {} levels", kMaxTreeDepth);
  if (tree.kind != ConditionTree::Kind::compare) {
    if (tree.children.empty()) fail(ErrorKind::corrupt, "a stored condition joins no parts");
    BoundNode node;
    node.kind = tree.kind == ConditionTree::Kind::all ? Kind::all : Kind::any;
    for (const ConditionTree& child : tree.children) node.args.push_back(add_tree(bound, child, fields, depth + 1));
    return bound.add(std::move(node));
  }
  const auto known = std::ranges::find(fields, tree.field, &FieldInfo::name);
  if (known == fields.end()) {
    BoundNode never;
    never.constant = false;
    return bound.add(std::move(never));
  }
  const auto used = std::ranges::find(bound.fields, tree.field, &FieldInfo::name);
  LeafTest test;
  test.field = static_cast<std::uint32_t>(used - bound.fields.begin());
  if (used == bound.fields.end()) bound.fields.push_back(*known);
  test.op = tree.op;
  test.value = tree.value;
  test.offsets = tree.offsets;
  test.null = tree.value.empty() && !known->var() && (tree.op == CompareOp::eq || tree.op == CompareOp::ne);
  return bound.add(std::move(test));
}

}  // namespace

Condition::Condition() : bound_(std::make_shared<BoundCondition>()) {}

Condition Condition::bind(const Expression& expression, std::span<const FieldInfo> fields, Rules rules) {
  return Condition(std::make_shared<BoundCondition>(bind_expression(expression, fields, rules)));
}

Condition Condition::bind(std::string_view text, std::span<const FieldInfo> fields, Rules rules) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return {};
  return bind(parse_expression(text), fields, rules);
}

Condition Condition::from_tree(const ConditionTree& tree, std::span<const FieldInfo> fields) {
  auto bound = std::make_shared<BoundCondition>();
  add_tree(*bound, tree, fields, 0);
  for (FieldInfo& field : bound->fields) field.enumeration = nullptr;
  return Condition(std::move(bound));
}

bool Condition::empty() const { return bound_->nodes.empty(); }
const std::vector<FieldInfo>& Condition::fields() const { return bound_->fields; }

void Condition::evaluate(std::span<const ColumnView> columns, std::uint64_t first, std::span<std::uint8_t> mask) const {
  tegula::evaluate(*bound_, columns, first, mask);
}

void Condition::evaluate(const Batch& batch, std::vector<std::uint8_t>& mask) const {
  std::vector<ColumnView> columns;
  for (const FieldInfo& field : fields()) {
    const Column* column = batch.column(field.name);
    columns.push_back(column ? ColumnView(*column) : ColumnView::missing());
  }
  mask.resize(batch.cells);
  evaluate(columns, 0, mask);
}

Match Condition::may_match(std::span<const FieldStats> stats) const { return weigh(*bound_, stats); }

Condition Condition::negated() const {
  if (empty()) fail(ErrorKind::invalid_argument, "there is no condition to negate");
  auto bound = std::make_shared<BoundCondition>(*bound_);
  for (BoundNode& node : bound->nodes) {
    if (node.kind == Kind::constant) node.constant = !node.constant;
    if (node.kind == Kind::all || node.kind == Kind::any) node.kind = node.kind == Kind::all ? Kind::any : Kind::all;
  }
  for (LeafTest& test : bound->leaves) {
    test.op = opposite(test.op);
    compile(test, bound->fields[test.field], bound->rules);
  }
  for (TermTest& test : bound->terms) test.op = opposite(test.op);
  for (TextPairTest& test : bound->pairs) test.op = opposite(test.op);
  return Condition(std::move(bound));
}

ConditionTree Condition::tree() const {
  if (empty()) fail(ErrorKind::unsupported, "there is no condition to store");
  return tree_of(*bound_, static_cast<std::uint32_t>(bound_->nodes.size() - 1));
}

}  // namespace tegula
