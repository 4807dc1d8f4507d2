// A condition as formats store it: AND and OR over comparisons of one field with raw values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tegula/bytes.h"

namespace tegula {

// In TileDB's order, so that its codes 0..7 can be cast.
enum class CompareOp : std::uint8_t { lt, le, gt, ge, eq, ne, in, not_in, always_true, always_false };

struct ConditionTree {
  enum class Kind : std::uint8_t { all, any, compare };
  Kind kind = Kind::compare;
  std::vector<ConditionTree> children;  // all, any

  CompareOp op = CompareOp::eq;
  std::string field;
  Bytes value;  // in the field's own type, codes for enumerated fields; in, not_in: the members in a row
  std::vector<std::uint64_t> offsets;  // in, not_in: where each member starts in `value`
  bool null = false;                   // eq, ne: asks for nulls; `value` is empty
};

}  // namespace tegula
