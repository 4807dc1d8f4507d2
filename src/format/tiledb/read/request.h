// What a query asks for, checked against the schema and in the terms of the readers.
#pragma once

#include <optional>
#include <vector>

#include "format/tiledb/order/range_set.h"
#include "format/tiledb/read/dense_read.h"
#include "format/tiledb/read/snapshot.h"
#include "query/condition/condition.h"
#include "tegula/query.h"

namespace tegula::tiledb {

// Ranges per dimension in the order given, label ranges resolved; a dimension not named has none. Bounds are in the
// dimension's type, those left out are the ends of the domain. Throws invalid_argument for unknown names, for bounds of
// the wrong kind and for ranges outside of the domain or the current domain.
std::vector<std::vector<Range>> ranges_of(const Snapshot& snapshot, const Query& query);

RangeSet sparse_ranges(const Snapshot& snapshot, std::span<const std::vector<Range>> ranges);
// The single ranges of the dimensions whose ranges overlap; empty lists for the others.
std::vector<std::vector<RangeList>> overlapping_ranges(const Snapshot& snapshot,
                                                       std::span<const std::vector<Range>> ranges);

struct DenseRequest {
  DenseSelection selection;
  std::vector<bool> dropped;  // axes that are not part of the result
};
// A dimension without ranges is whole, or as much of it as the current domain has.
DenseRequest dense_request(const Snapshot& snapshot, const Query& query);

// The fields of the result: attributes, dimensions. `labels` gets the names that are labels.
std::vector<FieldInfo> result_fields(const Snapshot& snapshot, const Query& query, std::vector<std::string>& labels);

Condition bind_condition(const Snapshot& snapshot, const Query& query);

}  // namespace tegula::tiledb
