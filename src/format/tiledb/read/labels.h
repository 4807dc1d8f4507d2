// Dimension labels: arrays stored beside the array that name the coordinates of a dimension.
#pragma once

#include <string_view>
#include <vector>

#include "format/tiledb/order/dense_grid.h"
#include "format/tiledb/read/snapshot.h"
#include "tegula/columns.h"

namespace tegula::tiledb {

// Throws invalid_argument when there is no such label.
const SchemaLabel& label_named(const Snapshot& snapshot, std::string_view name);

// The ranges of the dimension that hold the given ranges of labels. Throws invalid_argument when a range holds no
// label.
std::vector<Range> label_to_dimension(const Snapshot& snapshot, const SchemaLabel& label,
                                      const std::vector<Range>& ranges, const Work& work);

// The labels of the selected coordinates of the dimension.
Column read_labels(const Snapshot& snapshot, const SchemaLabel& label, const AxisRuns& axis, const Work& work);
// The labels of all coordinates in the dimension's ranges, whether they have cells or not; without ranges, of the whole
// domain. Throws invalid_argument when they do not fit the budget.
Column read_labels(const Snapshot& snapshot, const SchemaLabel& label, std::span<const Range> ranges, const Work& work);

}  // namespace tegula::tiledb
