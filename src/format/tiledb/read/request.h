// What a query asks for: checked against the schema and translated for the readers.
#pragma once

#include <optional>
#include <vector>

#include "format/tiledb/order/range_set.h"
#include "format/tiledb/read/dense_read.h"
#include "format/tiledb/read/range_counts.h"
#include "format/tiledb/read/snapshot.h"
#include "query/condition/condition.h"
#include "tegula/query.h"

namespace tegula::tiledb {

// The ranges of each dimension in the given order, label ranges resolved; empty for a dimension without any. Bounds
// have the dimension's type; those left out become the ends of the domain. Throws invalid_argument for unknown names,
// for bounds of the wrong kind and for ranges outside of the domain or the current domain.
std::vector<std::vector<Range>> ranges_of(const Snapshot& snapshot, const Query& query);

RangeSet sparse_ranges(const Snapshot& snapshot, std::span<const std::vector<Range>> ranges);
// The ranges of the dimensions whose ranges overlap; none for the others.
std::vector<std::optional<RangeCounts>> overlapping_ranges(const Snapshot& snapshot,
                                                           std::span<const std::vector<Range>> ranges);

struct DenseRequest {
  DenseSelection selection;
  std::vector<bool> dropped;  // axes that are not part of the result
};
// A dimension without ranges is selected whole, or as far as the current domain reaches.
DenseRequest dense_request(const Snapshot& snapshot, const Query& query);

// The attributes and dimensions of the result. Names that are labels are added to `labels`.
std::vector<FieldInfo> result_fields(const Snapshot& snapshot, const Query& query, std::vector<std::string>& labels);

Condition bind_condition(const Snapshot& snapshot, const Query& query);

}  // namespace tegula::tiledb
