#include "query/condition/bind.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "base/context.h"
#include "base/error_message.h"
#include "base/fail.h"
#include "query/language/lexer.h"

namespace tegula {
namespace {

CompareOp compare_op(NodeOp op) { return static_cast<CompareOp>(static_cast<int>(op) - static_cast<int>(NodeOp::lt)); }

class Binder {
 public:
  Binder(const Expression& expression, std::span<const FieldInfo> known, Rules rules) : in_(expression), known_(known) {
    out_.rules = rules;
  }

  BoundCondition run() {
    const std::uint32_t root = condition(in_.nodes.size() - 1, false);
    if (root + 1 != out_.nodes.size()) out_.nodes.push_back(out_.nodes[root]);
    // The condition may outlive the schema, from which enumerations are borrowed.
    for (FieldInfo& field : out_.fields) field.enumeration = nullptr;
    return std::move(out_);
  }

 private:
  [[noreturn]] void wrong(const ExpressionNode& node, std::string_view what) const {
    fail(ErrorKind::invalid_argument, "condition: {}{}", what, point_at(in_.text, node.position));
  }

  // An unnamed attribute is called "value" unless a field has that name.
  const FieldInfo* find(const ExpressionNode& node) const {
    const auto fits = [&](const FieldInfo& field, std::string_view name) {
      return field.name == name &&
             (node.field_kind == FieldKind::any || field.dimension == (node.field_kind == FieldKind::dimension));
    };
    for (const FieldInfo& field : known_)
      if (fits(field, node.name)) return &field;
    if (node.name == "value")
      for (const FieldInfo& field : known_)
        if (fits(field, "") && !field.dimension) return &field;
    return nullptr;
  }

  const FieldInfo& known_field(const ExpressionNode& node) const {
    if (const FieldInfo* field = find(node)) return *field;
    std::string names;
    for (std::size_t i = 0; i < known_.size() && i < 20; ++i)
      names += fmt::format("{}'{}'", i ? ", " : "", known_[i].name);
    wrong(node, fmt::format("there is no {} '{}'; there {} {}{}",
                            node.field_kind == FieldKind::dimension ? "dimension" : "field", node.name,
                            known_.size() == 1 ? "is" : "are", names, known_.size() > 20 ? ", ..." : ""));
  }

  std::uint32_t use(const FieldInfo& field) {
    const auto found = std::ranges::find_if(
        out_.fields, [&](const FieldInfo& f) { return f.name == field.name && f.dimension == field.dimension; });
    if (found != out_.fields.end()) return static_cast<std::uint32_t>(found - out_.fields.begin());
    out_.fields.push_back(field);
    return static_cast<std::uint32_t>(out_.fields.size() - 1);
  }

  std::uint32_t constant(bool value) {
    BoundNode node;
    node.constant = value;
    return out_.add(std::move(node));
  }

  // numpy negates the answer, TileDB the operator: they differ where a NaN is compared.
  template <class Test>
  void negate(Test& test, bool negated) const {
    if (!negated) return;
    if (out_.rules == Rules::tiledb || test.op >= CompareOp::eq)
      test.op = opposite(test.op);
    else
      test.inverted = true;
  }

  std::uint32_t condition(std::size_t index, bool negated) {
    const ExpressionNode& node = in_.nodes[index];
    switch (node.kind) {
      case NodeKind::all:
      case NodeKind::any: {
        BoundNode joined;
        joined.kind = (node.kind == NodeKind::all) != negated ? BoundNode::Kind::all : BoundNode::Kind::any;
        for (const std::uint32_t arg : node.args) joined.args.push_back(condition(arg, negated));
        return out_.add(std::move(joined));
      }
      case NodeKind::negation:
        return condition(node.args[0], !negated);
      default:
        return test(node, negated);
    }
  }

  // Not inlined, so that a level of nesting takes little of the stack.
  [[gnu::noinline]] std::uint32_t test(const ExpressionNode& node, bool negated) {
    switch (node.kind) {
      case NodeKind::boolean:
        return constant((std::get<std::int64_t>(node.value) != 0) != negated);
      case NodeKind::field:
        return flag(node, negated);
      case NodeKind::in:
      case NodeKind::not_in:
        return membership(node, negated);
      default:
        return comparison(node, negated);
    }
  }

  std::uint32_t flag(const ExpressionNode& node, bool negated) {
    const FieldInfo& field = known_field(node);
    if (field.type.id != TypeId::boolean)
      wrong(node, fmt::format("{} is no boolean; compare it with something, and put comparisons in parentheses where "
                              "they meet '&' or '|'",
                              describe(field)));
    return leaf(node, field, negated ? CompareOp::eq : CompareOp::ne, {std::int64_t{0}, TextKind::text, true}, false);
  }

  template <class F>
  auto located(const ExpressionNode& node, F f) const {
    try {
      const ContextNode::Adopt alone(nullptr);  // the error thrown below adds the open contexts
      return f();
    } catch (const Error& error) {
      throw Error(error.kind(),
                  fmt::format("condition: {}{}", error_message(error), point_at(in_.text, node.position)));
    }
  }

  std::uint32_t leaf(const ExpressionNode& at, const FieldInfo& field, CompareOp op, const Literal& literal,
                     bool negated) {
    LeafTest test;
    test.op = op;
    if (std::holds_alternative<std::monostate>(literal.value)) {
      if (op != CompareOp::eq && op != CompareOp::ne) wrong(at, "null can only be compared with ==, != and is");
      test.null = true;
      negate(test, negated);
      test.field = use(field);
      return out_.add(std::move(test));
    }
    negate(test, negated);
    return located(at, [&] {
      EncodedTest encoded = encode_test(field, test.op, literal);
      test.op = encoded.op;
      test.value = std::move(encoded.value);
      test.field = use(field);
      return out_.add(std::move(test));
    });
  }

  std::uint32_t membership(const ExpressionNode& node, bool negated) {
    const ExpressionNode& operand = in_.nodes[node.args[0]];
    if (operand.kind != NodeKind::field) wrong(operand, "'in' takes a field on its left");
    const FieldInfo& field = known_field(operand);
    std::vector<Literal> members;
    for (const std::uint32_t arg : in_.nodes[node.args[1]].args) {
      members.push_back(literal(in_.nodes[arg]));
      if (std::holds_alternative<std::monostate>(members.back().value))
        wrong(in_.nodes[arg], "null cannot be in a list; add \"or x is null\"");
    }
    LeafTest test;
    test.op = (node.kind == NodeKind::in) != negated ? CompareOp::in : CompareOp::not_in;
    return located(node, [&] {
      EncodedTest encoded = encode_list(field, test.op, members);
      test.op = encoded.op;
      test.value = std::move(encoded.value);
      test.offsets = std::move(encoded.offsets);
      test.field = use(field);
      return out_.add(std::move(test));
    });
  }

  Literal literal(const ExpressionNode& node) const {
    return {node.value, node.text_kind, node.kind == NodeKind::boolean};
  }

  // One side of a comparison. Its nodes are consecutive, operands before what uses them; loops over them take chains of
  // any length.
  struct Side {
    std::size_t begin = 0, root = 0;
    std::vector<std::optional<Literal>> values;  // of the nodes that have no fields
    const std::optional<Literal>& value(std::size_t index) const { return values[index - begin]; }
    const std::optional<Literal>& value() const { return values.back(); }
  };

  Side side(std::size_t root) const {
    Side side{root, root, {}};
    while (calculated(in_.nodes[side.begin].kind)) side.begin = in_.nodes[side.begin].args[0];
    side.values.reserve(root - side.begin + 1);
    for (std::size_t i = side.begin; i <= root; ++i) side.values.push_back(folded(i, side));
    return side;
  }

  static bool calculated(NodeKind kind) { return kind == NodeKind::minus || kind == NodeKind::arithmetic; }

  std::optional<Literal> folded(std::size_t index, const Side& side) const {
    const ExpressionNode& node = in_.nodes[index];
    switch (node.kind) {
      case NodeKind::literal:
      case NodeKind::boolean:
        return literal(node);
      case NodeKind::field:
        // Names of numbers, unless a field has the name.
        if (node.field_kind == FieldKind::any && !find(node)) {
          if (node.name == "nan" || node.name == "NaN")
            return Literal{std::numeric_limits<double>::quiet_NaN(), {}, false};
          if (node.name == "inf") return Literal{std::numeric_limits<double>::infinity(), {}, false};
        }
        return {};
      case NodeKind::minus:
      case NodeKind::arithmetic:
        break;
      default:
        return {};
    }
    for (const std::uint32_t arg : node.args) {
      if (!side.value(arg)) return {};
      require_number(arg, *side.value(arg));
    }
    const bool minus = node.kind == NodeKind::minus;
    Term left = minus ? Term{} : constant_term(side.value(node.args[0])->value);
    Term right = constant_term(side.value(node.args.back())->value);
    const NodeOp op = minus ? NodeOp::subtract : node.op;
    agree(op, left, right);
    const std::uint64_t bits = calculate(op, left.number, left.bits, right.number, right.bits);
    switch (result_kind(op, left.number, right.number)) {
      case NumberKind::int64:
        return Literal{std::bit_cast<std::int64_t>(bits), {}, false};
      case NumberKind::uint64:
        return Literal{bits, {}, false};
      default:
        return Literal{std::bit_cast<double>(bits), {}, false};
    }
  }

  void require_number(std::size_t index, const Literal& value) const {
    if (std::holds_alternative<std::string>(value.value) || std::holds_alternative<std::monostate>(value.value))
      wrong(in_.nodes[index], "only numbers can be calculated with");
  }

  static Term constant_term(const Value& value) {
    Term term;
    if (const auto* i = std::get_if<std::int64_t>(&value)) {
      term.bits = static_cast<std::uint64_t>(*i);
    } else if (const auto* u = std::get_if<std::uint64_t>(&value)) {
      term.number = NumberKind::uint64;
      term.bits = *u;
    } else {
      term.number = NumberKind::float64;
      term.bits = std::bit_cast<std::uint64_t>(std::get<double>(value));
    }
    return term;
  }

  // Integer literals take the kind of the other operand where that loses nothing; int ** -n is calculated in floats.
  static void agree(NodeOp op, Term& left, Term& right) {
    const auto adapt = [](Term& term, NumberKind other) {
      if (term.kind == Term::Kind::constant && term.number == NumberKind::int64 && other == NumberKind::uint64 &&
          std::bit_cast<std::int64_t>(term.bits) >= 0)
        term.number = NumberKind::uint64;
    };
    adapt(left, right.number);
    adapt(right, left.number);
    if (op == NodeOp::power && right.kind == Term::Kind::constant && right.number == NumberKind::int64 &&
        std::bit_cast<std::int64_t>(right.bits) < 0) {
      right.bits = std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<std::int64_t>(right.bits)));
      right.number = NumberKind::float64;
    }
  }

  std::uint32_t comparison(const ExpressionNode& node, bool negated) {
    const ExpressionNode &left = in_.nodes[node.args[0]], &right = in_.nodes[node.args[1]];
    const CompareOp op = compare_op(node.op);
    const Side left_side = side(node.args[0]), right_side = side(node.args[1]);
    const auto &left_literal = left_side.value(), &right_literal = right_side.value();
    if (right_literal && left.kind == NodeKind::field)
      return leaf(node, known_field(left), op, *right_literal, negated);
    if (left_literal && right.kind == NodeKind::field)
      return leaf(node, known_field(right), mirrored(op), *left_literal, negated);
    if (left.kind == NodeKind::field && right.kind == NodeKind::field) {
      if (const auto pair = text_pair(node, left, right, negated ? opposite(op) : op)) return *pair;
    }
    TermTest test;
    test.op = op;
    test.left = terms(left_side, test);
    test.right = terms(right_side, test);
    negate(test, negated);
    out_.terms.push_back(std::move(test));
    BoundNode bound;
    bound.kind = BoundNode::Kind::terms;
    bound.test = static_cast<std::uint32_t>(out_.terms.size() - 1);
    return out_.add(std::move(bound));
  }

  std::optional<std::uint32_t> text_pair(const ExpressionNode& node, const ExpressionNode& left,
                                         const ExpressionNode& right, CompareOp op) {
    const FieldInfo &a = known_field(left), &b = known_field(right);
    const auto is_text = [](const FieldInfo& field) {
      const CellClass cells = cell_class(field);
      return !field.enumeration &&
             (cells == CellClass::fixed_text || cells == CellClass::fixed_unicode || cells == CellClass::var_text);
    };
    if (!is_text(a) || !is_text(b)) return {};
    const bool alike =
        a.type.id == b.type.id || (a.type.size == 1 && b.type.size == 1 && a.type.is_text() && b.type.is_text());
    if (!alike || a.type.big_endian != b.type.big_endian)
      wrong(node, fmt::format("{} and {} hold different kinds of text", describe(a), describe(b)));
    out_.pairs.push_back({op, use(a), use(b)});
    BoundNode bound;
    bound.kind = BoundNode::Kind::text_pair;
    bound.test = static_cast<std::uint32_t>(out_.pairs.size() - 1);
    return out_.add(std::move(bound));
  }

  // Appends the terms of a side and returns the index of the last, which is its result.
  std::uint32_t terms(const Side& side, TermTest& test) {
    std::vector<std::uint32_t> made(side.values.size());
    // Values become terms where something that is not constant uses them.
    const auto operand = [&](std::size_t index) {
      if (const auto& value = side.value(index)) {
        require_number(index, *value);
        test.terms.push_back(constant_term(value->value));
        return static_cast<std::uint32_t>(test.terms.size() - 1);
      }
      return made[index - side.begin];
    };
    for (std::size_t i = side.begin; i <= side.root; ++i) {
      if (side.value(i)) continue;
      const Term term = this->term(in_.nodes[i], test, operand);
      test.terms.push_back(term);
      made[i - side.begin] = static_cast<std::uint32_t>(test.terms.size() - 1);
    }
    return operand(side.root);
  }

  template <class Operand>
  Term term(const ExpressionNode& node, TermTest& test, Operand operand) {
    Term made;
    if (node.kind == NodeKind::field) {
      const FieldInfo& field = known_field(node);
      if (field.enumeration)
        wrong(node, fmt::format("field '{}' is enumerated and cannot be calculated with", field.name));
      made.kind = Term::Kind::field;
      made.number = located(node, [&] { return number_kind(field); });
      made.field = use(field);
      if (std::ranges::find(test.fields, made.field) == test.fields.end()) test.fields.push_back(made.field);
    } else if (node.kind == NodeKind::minus) {
      made.kind = Term::Kind::minus;
      made.left = operand(node.args[0]);
      made.number = test.terms[made.left].number;
      // The negative of an unsigned number is a float, as in mixtures of both.
      if (made.number == NumberKind::uint64) made.number = NumberKind::float64;
    } else {
      made.kind = Term::Kind::binary;
      made.op = node.op;
      made.left = operand(node.args[0]);
      made.right = operand(node.args[1]);
      agree(node.op, test.terms[made.left], test.terms[made.right]);
      made.number = result_kind(node.op, test.terms[made.left].number, test.terms[made.right].number);
    }
    return made;
  }

  const Expression& in_;
  std::span<const FieldInfo> known_;
  BoundCondition out_;
};

}  // namespace

BoundCondition bind_expression(const Expression& expression, std::span<const FieldInfo> fields, Rules rules) {
  return Binder(expression, fields, rules).run();
}

}  // namespace tegula
