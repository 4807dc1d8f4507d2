// One field against values: the leaf of nearly every condition.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "query/condition/condition.h"
#include "query/condition/literal.h"

namespace tegula {

// Comparisons of numbers are tests for a closed interval, in which form one loop serves all operators, integers need no
// sign, and tile bounds are weighed by the same two numbers.
struct SimpleTest {
  enum class Method : std::uint8_t { never, always, is_null, integers, reals, integer_set, real_set, text, text_set };

  // As stored and as a tree tells it.
  std::uint32_t field = 0;
  CompareOp op = CompareOp::eq;
  bool null = false;
  bool inverted = false;  // numpy's negation: what the operator does not match, NaN included
  Bytes value;
  std::vector<std::uint64_t> offsets;

  // As evaluated.
  Method method = Method::never;
  bool negate = false;
  CellClass cells = CellClass::none;
  Int128 low = 0, high = 0;
  double real_low = 0, real_high = 0;
  std::vector<std::uint64_t> integer_set;  // bits of the cells, zero-extended, sorted
  std::vector<double> real_set;            // sorted, without NaN
  std::vector<std::string> text_set;       // sorted
};

// Fills in the part that is evaluated. Throws corrupt when a value has the wrong size for the field.
void compile(SimpleTest& test, const FieldInfo& field, Rules rules);

// mask[i] = cell first + i passes; nulls and cells of an absent field never do.
void evaluate(const SimpleTest& test, const FieldInfo& field, const ColumnView& column, std::uint64_t first,
              std::uint64_t count, std::uint8_t* mask);

Match weigh(const SimpleTest& test, const FieldInfo& field, const FieldStats& stats, Rules rules);

// mask[i] &= cell is valid.
void mask_nulls(const ColumnView& column, std::uint64_t first, std::uint64_t count, std::uint8_t* mask);

// A cell of text, for comparisons byte by byte (or code point by code point).
ByteView text_cell(const FieldInfo& field, const ColumnView& column, std::uint64_t i);
// Below, at or above 0. Bytes are unsigned, the shorter of two that agree comes first; `unicode` compares code points.
int compare_text(ByteView a, ByteView b, bool unicode, bool big_endian);

}  // namespace tegula
