// The tree of a stored delete or update. It says which cells stay.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/cursor.h"
#include "tegula/bytes.h"

namespace tegula::tiledb {

enum class ConditionOp : std::uint8_t { lt = 0, le = 1, gt = 2, ge = 3, eq = 4, ne = 5, in = 6, not_in = 7 };
enum class Combination : std::uint8_t { all = 0, any = 1 };

struct ConditionNode {
  bool leaf = true;
  // Leaf.
  ConditionOp op = ConditionOp::eq;
  std::string field;
  Bytes value;                         // raw bytes of the field's type; empty for null, and for an empty text
  std::vector<std::uint64_t> members;  // in, not_in: start of each member in `value`
  // Otherwise.
  Combination combination = Combination::all;
  std::vector<ConditionNode> children;
};

struct StoredUpdate {
  std::string field;
  Bytes value;
};

struct StoredCondition {
  ConditionNode stays;
  std::vector<StoredUpdate> updates;  // .upd only
};

// The payload of a generic tile. Throws corrupt, also for a tree deeper than any library writes.
StoredCondition decode_condition(Cursor in, bool update);
void encode_condition(const StoredCondition& condition, bool update, Bytes& out);

}  // namespace tegula::tiledb
