// Comparisons of calculated values, such as a + b > 2 * c.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "query/columns/field.h"
#include "query/language/condition_tree.h"
#include "query/language/expression.h"

namespace tegula {

// int64 and uint64 wrap as numpy's do; a mixture of them, a division, or any float is calculated in float64.
enum class NumberKind : std::uint8_t { int64, uint64, float64 };

struct Term {
  enum class Kind : std::uint8_t { field, constant, minus, binary };
  Kind kind = Kind::constant;
  NumberKind number = NumberKind::int64;
  NodeOp op = NodeOp::none;
  std::uint32_t field = 0;
  std::uint64_t bits = 0;  // constant: of `number`
  std::uint32_t left = 0, right = 0;
};

// Compares two terms, cell by cell. A cell with a null among its operands never matches.
struct TermTest {
  CompareOp op = CompareOp::lt;
  bool inverted = false;
  // Operands before what uses them, each used once. Constants aside, the order is that of a stack machine: an operation
  // takes the last results that are not used yet.
  std::vector<Term> terms;
  std::uint32_t left = 0, right = 0;
  std::vector<std::uint32_t> fields;
};

// The kind of number that the cells of a field become in a calculation. Throws invalid_argument for text, unsupported
// for what has no arithmetic here.
NumberKind number_kind(const FieldInfo& field);
NumberKind result_kind(NodeOp op, NumberKind left, NumberKind right);
// The operation on two constants of the given kinds; the result is of result_kind().
std::uint64_t calculate(NodeOp op, NumberKind left_kind, std::uint64_t left, NumberKind right_kind,
                        std::uint64_t right);

void evaluate(const TermTest& test, std::span<const FieldInfo> fields, std::span<const ColumnView> columns,
              std::uint64_t first, std::uint64_t count, std::uint8_t* mask);

}  // namespace tegula
