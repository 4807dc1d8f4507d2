#include "query/condition/condition.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "base/fail.h"
#include "query/condition/bound_condition.h"

namespace tegula {
namespace {

using Kind = BoundNode::Kind;

// Cells at a time, so that masks and columns stay in the cache between the parts of a condition.
constexpr std::uint64_t kStep = 2048;

struct Evaluation {
  const BoundCondition& bound;
  std::span<const ColumnView> columns;

  void node(std::uint32_t index, std::uint64_t first, std::uint64_t count, std::uint8_t* mask) const {
    const BoundNode& node = bound.nodes[index];
    switch (node.kind) {
      case Kind::constant:
        std::memset(mask, node.constant, count);
        return;
      case Kind::simple: {
        const SimpleTest& test = bound.simple[node.test];
        return evaluate(test, bound.fields[test.field], columns[test.field], first, count, mask);
      }
      case Kind::terms:
        return evaluate(bound.terms[node.test], bound.fields, columns, first, count, mask);
      case Kind::text_pair:
        return pair(bound.pairs[node.test], first, count, mask);
      case Kind::all:
      case Kind::any:
        return joined(node, first, count, mask);
    }
  }

  void joined(const BoundNode& node, std::uint64_t first, std::uint64_t count, std::uint8_t* mask) const {
    std::array<std::uint8_t, kStep> other;
    const bool all = node.kind == Kind::all;
    this->node(node.args[0], first, count, mask);
    for (std::size_t i = 1; i < node.args.size(); ++i) {
      // Nothing can change any more: no cell is left, or none is missing.
      if (!std::memchr(mask, all ? 1 : 0, count)) return;
      this->node(node.args[i], first, count, other.data());
      if (all)
        for (std::uint64_t k = 0; k < count; ++k) mask[k] &= other[k];
      else
        for (std::uint64_t k = 0; k < count; ++k) mask[k] |= other[k];
    }
  }

  void pair(const TextPairTest& test, std::uint64_t first, std::uint64_t count, std::uint8_t* mask) const {
    const FieldInfo &a = bound.fields[test.left], &b = bound.fields[test.right];
    const ColumnView &x = columns[test.left], &y = columns[test.right];
    if (x.absent || y.absent) {
      std::memset(mask, 0, count);
      return;
    }
    // Cells of different sizes agree up to the zeros that pad them.
    const auto trimmed = [](const FieldInfo& field, ByteView cell) {
      if (field.var()) return cell;
      const std::size_t unit = field.type.id == TypeId::unicode ? 4 : 1;
      std::size_t size = cell.size();
      while (size >= unit && std::all_of(cell.begin() + static_cast<std::ptrdiff_t>(size - unit),
                                         cell.begin() + static_cast<std::ptrdiff_t>(size),
                                         [](std::byte v) { return v == std::byte{0}; }))
        size -= unit;
      return cell.first(size);
    };
    for (std::uint64_t i = 0; i < count; ++i) {
      const int order = compare_text(trimmed(a, text_cell(a, x, first + i)), trimmed(b, text_cell(b, y, first + i)),
                                     a.type.id == TypeId::unicode, a.type.big_endian);
      static constexpr std::uint8_t kAnswers[3][6] = {{1, 1, 0, 0, 0, 1}, {0, 1, 0, 1, 1, 0}, {0, 0, 1, 1, 0, 1}};
      mask[i] = kAnswers[order < 0 ? 0 : order > 0 ? 2 : 1][static_cast<int>(test.op)];
    }
    mask_nulls(x, first, count, mask);
    mask_nulls(y, first, count, mask);
  }
};

Match weigh_node(const BoundCondition& bound, std::uint32_t index, std::span<const FieldStats> stats) {
  const BoundNode& node = bound.nodes[index];
  switch (node.kind) {
    case Kind::constant:
      return node.constant ? Match::all : Match::none;
    case Kind::simple: {
      const SimpleTest& test = bound.simple[node.test];
      return weigh(test, bound.fields[test.field], stats[test.field], bound.rules);
    }
    case Kind::terms: {
      const auto absent = [&](std::uint32_t field) { return stats[field].absent; };
      return std::ranges::any_of(bound.terms[node.test].fields, absent) ? Match::none : Match::some;
    }
    case Kind::text_pair:
      return Match::some;
    case Kind::all:
    case Kind::any:
      break;
  }
  // The answer that decides the whole, and the one that all parts must give otherwise.
  const Match decisive = node.kind == Kind::all ? Match::none : Match::all;
  Match result = node.kind == Kind::all ? Match::all : Match::none;
  for (const std::uint32_t arg : node.args) {
    const Match part = weigh_node(bound, arg, stats);
    if (part == decisive) return decisive;
    if (part == Match::some) result = Match::some;
  }
  return result;
}

// Tests that a format knows stand for "always" and "never".
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
    case Kind::simple: {
      const SimpleTest& test = bound.simple[node.test];
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
  SimpleTest test;
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
  if (empty()) {
    std::ranges::fill(mask, std::uint8_t{1});
    return;
  }
  const Evaluation evaluation{*bound_, columns};
  const auto root = static_cast<std::uint32_t>(bound_->nodes.size() - 1);
  for (std::uint64_t done = 0; done < mask.size(); done += kStep)
    evaluation.node(root, first + done, std::min<std::uint64_t>(kStep, mask.size() - done), mask.data() + done);
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

Match Condition::may_match(std::span<const FieldStats> stats) const {
  if (empty()) return Match::all;
  return weigh_node(*bound_, static_cast<std::uint32_t>(bound_->nodes.size() - 1), stats);
}

Condition Condition::negated() const {
  if (empty()) fail(ErrorKind::invalid_argument, "there is no condition to negate");
  auto bound = std::make_shared<BoundCondition>(*bound_);
  for (BoundNode& node : bound->nodes) {
    if (node.kind == Kind::constant) node.constant = !node.constant;
    if (node.kind == Kind::all || node.kind == Kind::any) node.kind = node.kind == Kind::all ? Kind::any : Kind::all;
  }
  for (SimpleTest& test : bound->simple) {
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
