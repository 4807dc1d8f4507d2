// Random conditions on random columns: the loops over columns must agree with a plain cell-by-cell reading of the tree,
// and statistics must never contradict it.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "query/condition/condition.h"
#include "query/language/expression.h"
#include "query/make_columns.h"

namespace tegula {
namespace {

using testing::infos;
using testing::numbers;
using testing::texts;

constexpr std::size_t kCells = 97;
const char* const kTexts[] = {"", "a", "ab", "b", "ba", "zz"};

struct Random {
  std::mt19937 engine;
  int upto(int n) { return static_cast<int>(engine() % static_cast<unsigned>(n)); }
};

Batch random_batch(Random& random) {
  const int centre = random.upto(7) - 3, spread = 1 + random.upto(6);
  const auto value = [&] { return centre + random.upto(spread); };
  std::vector<std::int32_t> i;
  std::vector<std::uint8_t> u;
  std::vector<double> f;
  std::vector<std::int16_t> n;
  std::vector<int> valid;
  std::vector<std::optional<std::string>> s;
  const int null_rate = random.upto(4), nan_rate = random.upto(3);
  for (std::size_t k = 0; k < kCells; ++k) {
    i.push_back(value());
    u.push_back(static_cast<std::uint8_t>(value() & 7));
    f.push_back(nan_rate == 0 || random.upto(10) ? value() / 2.0 : NAN);
    n.push_back(static_cast<std::int16_t>(value()));
    valid.push_back(null_rate == 0 ? 1 : null_rate == 3 ? 0 : random.upto(2));
    s.push_back(kTexts[random.upto(1 + random.upto(6))]);
  }
  Batch batch;
  batch.cells = kCells;
  batch.columns = {numbers("i", TypeId::int32, i), numbers("u", TypeId::uint8, u), numbers("f", TypeId::float64, f),
                   numbers("n", TypeId::int16, n, valid), texts("s", TypeId::ascii, s)};
  return batch;
}

std::string random_text(Random& random, int depth) {
  if (depth > 0 && random.upto(3)) {
    const std::string a = random_text(random, depth - 1), b = random_text(random, depth - 1);
    switch (random.upto(3)) {
      case 0:
        return "(" + a + " and " + b + ")";
      case 1:
        return "(" + a + " or " + b + ")";
      default:
        return "not (" + a + ")";
    }
  }
  static const char* const kOps[] = {" < ", " <= ", " > ", " >= ", " == ", " != "};
  static const char* const kNumbers[] = {"i", "u", "f", "n"};
  static const char* const kLiterals[] = {"-3", "0", "1", "2.5", "300", "-1e9", "nan", "-0.5"};
  const std::string op = kOps[random.upto(6)], field = kNumbers[random.upto(4)];
  switch (random.upto(7)) {
    case 0:
      return "s" + op + "'" + kTexts[random.upto(6)] + "'";
    case 1:
      return std::string("s ") + (random.upto(2) ? "in" : "not in") + " ['', 'b', '" + kTexts[random.upto(6)] + "']";
    case 2:
      return field + (random.upto(2) ? " in [" : " not in [") + kLiterals[random.upto(6)] + ", 1, 2]";
    case 3:
      return random.upto(2) ? "n is null" : "n is not null";
    case 4:
      return field + " + " + kNumbers[random.upto(4)] + op + kLiterals[random.upto(6)];
    case 5:
      return kLiterals[random.upto(6)] + op + field;
    default:
      return field + op + kLiterals[random.upto(6)];
  }
}

// One cell, read as doubles: exact for the small numbers above.
class Oracle {
 public:
  Oracle(const Expression& expression, const Batch& batch, Rules rules)
      : expression_(expression), batch_(batch), rules_(rules) {}
  bool matches(std::size_t cell) const { return holds(expression_.nodes.size() - 1, cell, false); }

 private:
  struct Cell {
    bool null = false, literal_null = false, text = false;
    double number = 0;
    std::string bytes;
  };

  Cell value(std::size_t index, std::size_t cell) const {
    const ExpressionNode& node = expression_.nodes[index];
    Cell out;
    if (node.kind == NodeKind::field) {
      if (node.name == "nan") return {false, false, false, NAN, {}};
      const Column& column = *batch_.column(node.name);
      out.null = !column.valid(cell);
      const std::byte* data = column.cell(cell).data();
      switch (column.type.id) {
        case TypeId::int32:
          out.number = *reinterpret_cast<const std::int32_t*>(data);
          break;
        case TypeId::uint8:
          out.number = static_cast<double>(*data);
          break;
        case TypeId::float64:
          out.number = *reinterpret_cast<const double*>(data);
          break;
        case TypeId::int16:
          out.number = *reinterpret_cast<const std::int16_t*>(data);
          break;
        default:
          out.text = true, out.bytes = text_of(column.cell(cell));
      }
    } else if (node.kind == NodeKind::arithmetic) {
      const Cell a = value(node.args[0], cell), b = value(node.args[1], cell);
      out.null = a.null || b.null;
      out.number = a.number + b.number;
    } else if (const auto* i = std::get_if<std::int64_t>(&node.value)) {
      out.number = static_cast<double>(*i);
    } else if (const auto* d = std::get_if<double>(&node.value)) {
      out.number = *d;
    } else if (const auto* s = std::get_if<std::string>(&node.value)) {
      out.text = true, out.bytes = *s;
    } else {
      out.literal_null = true;
    }
    return out;
  }

  template <class T>
  static bool compared(NodeOp op, const T& a, const T& b) {
    switch (op) {
      case NodeOp::lt:
        return a < b;
      case NodeOp::le:
        return a <= b;
      case NodeOp::gt:
        return a > b;
      case NodeOp::ge:
        return a >= b;
      case NodeOp::eq:
        return a == b;
      default:
        return a != b;
    }
  }

  bool holds(std::size_t index, std::size_t cell, bool negated) const {
    const ExpressionNode& node = expression_.nodes[index];
    switch (node.kind) {
      case NodeKind::negation:
        return holds(node.args[0], cell, !negated);
      case NodeKind::all:
      case NodeKind::any: {
        const bool all = (node.kind == NodeKind::all) != negated;
        for (const std::uint32_t arg : node.args)
          if (holds(arg, cell, negated) != all) return !all;
        return all;
      }
      case NodeKind::in:
      case NodeKind::not_in: {
        const Cell a = value(node.args[0], cell);
        if (a.null) return false;
        bool found = false;
        for (const std::uint32_t arg : expression_.nodes[node.args[1]].args) {
          const Cell b = value(arg, cell);
          found = found || (a.text ? a.bytes == b.bytes : a.number == b.number);
        }
        return found == ((node.kind == NodeKind::in) != negated);
      }
      default:
        break;
    }
    const Cell a = value(node.args[0], cell), b = value(node.args[1], cell);
    if (b.literal_null) return (a.null == (node.op == NodeOp::eq)) != negated;
    if (a.null || b.null) return false;
    if (rules_ == Rules::numpy)
      return (a.text ? compared(node.op, a.bytes, b.bytes) : compared(node.op, a.number, b.number)) != negated;
    static constexpr NodeOp kOpposite[] = {NodeOp::none, NodeOp::ge, NodeOp::gt, NodeOp::le,
                                           NodeOp::lt,   NodeOp::ne, NodeOp::eq};
    const NodeOp op = negated ? kOpposite[static_cast<int>(node.op)] : node.op;
    return a.text ? compared(op, a.bytes, b.bytes) : compared(op, a.number, b.number);
  }

  const Expression& expression_;
  const Batch& batch_;
  Rules rules_;
};

// What a careful writer would store: bounds of the valid cells, and whether there is a NaN.
std::vector<FieldStats> stats_of(const Condition& condition, const Batch& batch, std::vector<Bytes>& bounds,
                                 bool lie_about_nothing) {
  std::vector<FieldStats> out;
  bounds.reserve(64);
  for (const FieldInfo& field : condition.fields()) {
    const Column& column = *batch.column(field.name);
    FieldStats stats;
    stats.cells = batch.cells;
    stats.no_nan = true;
    std::uint64_t nulls = 0;
    std::optional<std::size_t> low, high;
    const auto less = [&](std::size_t a, std::size_t b) {
      if (column.type.id == TypeId::int32)
        return *reinterpret_cast<const std::int32_t*>(column.cell(a).data()) <
               *reinterpret_cast<const std::int32_t*>(column.cell(b).data());
      if (column.type.id == TypeId::int16)
        return *reinterpret_cast<const std::int16_t*>(column.cell(a).data()) <
               *reinterpret_cast<const std::int16_t*>(column.cell(b).data());
      if (column.type.id == TypeId::float64)
        return *reinterpret_cast<const double*>(column.cell(a).data()) <
               *reinterpret_cast<const double*>(column.cell(b).data());
      return text_of(column.cell(a)) < text_of(column.cell(b));
    };
    for (std::size_t i = 0; i < batch.cells; ++i) {
      if (!column.valid(i)) {
        ++nulls;
        continue;
      }
      if (column.type.id == TypeId::float64 && std::isnan(*reinterpret_cast<const double*>(column.cell(i).data())))
        stats.no_nan = false;
      if (!low || less(i, *low)) low = i;
      if (!high || less(*high, i)) high = i;
    }
    if (lie_about_nothing) stats.null_count = nulls;
    if (low) {
      bounds.push_back(copy_of(column.cell(*low)));
      stats.min = bounds.back();
      bounds.push_back(copy_of(column.cell(*high)));
      stats.max = bounds.back();
    }
    out.push_back(stats);
  }
  return out;
}

TEST(ConditionProperty, ColumnsAgreeWithCellsAndStatisticsWithBoth) {
  Random random{std::mt19937(20240611)};
  int decided = 0;
  for (int round = 0; round < 3000; ++round) {
    const Batch batch = random_batch(random);
    const std::string text = random_text(random, 3);
    const Expression expression = parse_expression(text);
    const Rules rules = random.upto(2) ? Rules::tiledb : Rules::numpy;
    const std::vector<FieldInfo> fields = infos(batch);
    const Condition condition = Condition::bind(expression, fields, rules);
    std::vector<std::uint8_t> mask;
    condition.evaluate(batch, mask);
    const Oracle oracle(expression, batch, rules);
    std::size_t matching = 0;
    for (std::size_t i = 0; i < kCells; ++i) {
      ASSERT_EQ(mask[i] != 0, oracle.matches(i))
          << text << " at " << i << (rules == Rules::numpy ? " numpy" : " tiledb");
      matching += mask[i];
    }
    std::vector<Bytes> bounds;
    const Match match = condition.may_match(stats_of(condition, batch, bounds, random.upto(2)));
    decided += match != Match::some;
    if (match == Match::none) {
      ASSERT_EQ(matching, 0u) << text;
    }
    if (match == Match::all) {
      ASSERT_EQ(matching, kCells) << text;
    }
  }
  EXPECT_GT(decided, 300);  // statistics do decide something
}

}  // namespace
}  // namespace tegula
