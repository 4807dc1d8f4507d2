// One field compared with values: the leaf of nearly every condition.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "query/columns/field.h"
#include "query/evaluate/field_stats.h"
#include "query/language/literal.h"

namespace tegula {

// Comparisons of numbers become tests for a closed interval: one loop serves all operators, integers need no sign, and
// the bounds of a tile are compared with the same two numbers.
struct LeafTest {
  enum class Method : std::uint8_t { never, always, is_null, integers, reals, integer_set, real_set, text, text_set };

  // What is asked, as in a stored tree.
  std::uint32_t field = 0;
  CompareOp op = CompareOp::eq;
  bool null = false;
  bool inverted = false;  // numpy's negation: what the operator does not match, NaN included
  Bytes value;
  std::vector<std::uint64_t> offsets;

  // How it is evaluated: set by compile().
  Method method = Method::never;
  bool negate = false;
  CellClass cells = CellClass::none;
  Int128 low = 0, high = 0;
  double real_low = 0, real_high = 0;
  std::vector<std::uint64_t> integer_set;  // bits of the cells, zero-extended, sorted
  std::vector<double> real_set;            // sorted, without NaN
  std::vector<std::string> text_set;       // sorted
};

// Derives how to evaluate it. Throws corrupt when a value has the wrong size for the field.
void compile(LeafTest& test, const FieldInfo& field, Rules rules);

// mask[i] = cell first + i passes; nulls and cells of an absent field never do.
void evaluate(const LeafTest& test, const FieldInfo& field, const ColumnView& column, std::uint64_t first,
              std::uint64_t count, std::uint8_t* mask);

// What the statistics of a tile prove.
Match weigh(const LeafTest& test, const FieldInfo& field, const FieldStats& stats, Rules rules);

}  // namespace tegula
