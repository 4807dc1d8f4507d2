// A literal of a condition in a field's own type.
#pragma once

#include <span>
#include <string>

#include "query/columns/field.h"
#include "query/language/condition_tree.h"
#include "query/language/expression.h"
#include "query/language/int128.h"

namespace tegula {

// How the cells of a field are compared.
enum class CellClass : std::uint8_t { integer, half, real32, real64, fixed_text, fixed_unicode, var_text, none };
CellClass cell_class(const FieldInfo& field);

// "field 'x' (int32)" for messages.
std::string describe(const FieldInfo& field);

struct Literal {
  Value value;
  TextKind text_kind = TextKind::text;
  bool boolean = false;
};

// `field op literal` with the literal as bytes of the field's type. Where the type cannot hold the literal, the
// operator is replaced by one with the same answers: x > 2.5 on integers is x > 2, x < 300 on bytes is always true.
// Numbers are rounded to the precision of a float field. Throws invalid_argument when text meets numbers.
struct EncodedTest {
  CompareOp op = CompareOp::eq;
  Bytes value;
  std::vector<std::uint64_t> offsets;
};
EncodedTest encode_test(const FieldInfo& field, CompareOp op, const Literal& literal);
// in and not_in.
EncodedTest encode_list(const FieldInfo& field, CompareOp op, std::span<const Literal> members);

// Bytes of an integer type to a number and back; the width is type.size.
Int128 load_integer(const Datatype& type, const std::byte* from);
void store_integer(const Datatype& type, Int128 value, std::byte* to);
double load_real(const Datatype& type, const std::byte* from);  // half, real32, real64
Int128 integer_min(const Datatype& type);
Int128 integer_max(const Datatype& type);

// The operator after exchanging its operands (a < b is b > a), and the one that matches what it does not.
CompareOp mirrored(CompareOp op);
CompareOp opposite(CompareOp op);

}  // namespace tegula
