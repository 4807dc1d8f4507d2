// The condition of a stored delete or update. It is true for the cells that stay.
#pragma once

#include <string>
#include <vector>

#include "base/cursor.h"
#include "query/language/condition_tree.h"
#include "tegula/bytes.h"

namespace tegula::tiledb {

struct StoredUpdate {
  std::string field;
  Bytes value;
};

// The files do not distinguish a test for null from a test for empty text: `null` is set for both.
struct StoredCondition {
  ConditionTree stays;
  std::vector<StoredUpdate> updates;  // .upd only
};

// The payload of a generic tile. Throws corrupt, also for a tree deeper than any library writes.
StoredCondition decode_condition(Cursor in, bool update);
void encode_condition(const StoredCondition& condition, bool update, Bytes& out);

}  // namespace tegula::tiledb
