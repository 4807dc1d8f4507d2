// The text of a condition as a tree. docs/conditions.md describes the language.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tegula/schema.h"

namespace tegula {

enum class NodeKind : std::uint8_t {
  field,    // text: the name
  literal,  // value: std::monostate is null; `text_kind` tells 'x' from b'x'
  boolean,  // value: int64 0 or 1, written True or False
  list,     // args: literals
  compare,  // op, args: left, right
  in,       // args: operand, list
  not_in,
  all,         // args: two or more conditions ("and", "&")
  any,         // "or", "|"
  negation,    // "not", "~"
  arithmetic,  // op, args: left, right
  minus,       // args: operand
};

enum class NodeOp : std::uint8_t {
  none,
  lt,
  le,
  gt,
  ge,
  eq,
  ne,
  add,
  subtract,
  multiply,
  divide,
  floor_divide,
  modulo,
  power
};
enum class TextKind : std::uint8_t { text, bytes };
// attr('x') and dim('x') insist on what x is.
enum class FieldKind : std::uint8_t { any, attribute, dimension };

struct ExpressionNode {
  NodeKind kind = NodeKind::literal;
  NodeOp op = NodeOp::none;
  TextKind text_kind = TextKind::text;
  FieldKind field_kind = FieldKind::any;
  std::uint32_t position = 0;  // byte in the text
  std::string name;            // field
  Value value;                 // literal, boolean
  std::vector<std::uint32_t> args;
};

// Nodes refer to each other by index, arguments before the node that holds them; the root is the last one.
struct Expression {
  std::string text;
  std::vector<ExpressionNode> nodes;
  const ExpressionNode& root() const { return nodes.back(); }
};

// Throws invalid_argument with the position and the text marked there. Nesting and length are limited, so that any
// text is safe to parse.
Expression parse_expression(std::string_view text);

}  // namespace tegula
