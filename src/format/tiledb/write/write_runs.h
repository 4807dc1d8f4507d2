// Dense writes of selections that are no box: steps, index lists and points.
#pragma once

#include <cstdint>
#include <vector>

#include "format/tiledb/write/write_dense.h"
#include "tegula/array.h"

namespace tegula::tiledb {

// A selection cut into boxes of neighbouring cells, which do not overlap: where cells are selected twice, the last one
// counts. Writing them touches no other cell. Throws invalid_argument for more than kMostBoxes of them, each of which
// would become a fragment, and for cells outside of the current domain.
inline constexpr std::uint64_t kMostBoxes = 1024;
struct SelectedBox {
  DenseBox box;
  std::vector<std::uint64_t> first;  // in the result of the selection, along each of its axes: its lowest index there
};
std::vector<SelectedBox> boxes_of(const ArraySchema& schema, const Picks& picks);

// Like write_dense. One fragment for each box, all visible at once from format version 12 on, and one after the other
// before that. A batch is in row or col order.
void write_runs(const WriteTarget& target, const Picks& picks, const Batch& cells, std::uint64_t time,
                const WriteOptions& options);
void write_runs(const WriteTarget& target, const Picks& picks, const StridedView& values, std::uint64_t time,
                const WriteOptions& options);

}  // namespace tegula::tiledb
