// Dense writes: the cells of a box become one fragment of whole tiles.
#pragma once

#include <cstdint>
#include <vector>

#include "format/tiledb/fragment_writer.h"
#include "tegula/array.h"

namespace tegula::tiledb {

// Cells counted from the start of the domain. A dropped axis is one that an integer selected.
struct DenseBox {
  std::vector<std::uint64_t> first, count;
  std::vector<bool> dropped, reversed;
  std::vector<std::uint64_t> shape() const;  // without dropped axes
  std::uint64_t cells() const;
};

// Throws unsupported for a selection that is not a box, and invalid_argument for one outside of the current domain.
DenseBox box_of(const ArraySchema& schema, const Picks& picks);

// Every attribute. Cells are in the order of options: row or col over the box, or global: tile after tile, each
// cut to the box, in the schema's orders.
void write_dense(const WriteTarget& target, const DenseBox& box, const Batch& cells, std::uint64_t time,
                 const WriteOptions& options);
// The only attribute, of fixed size. `values` has the box's shape.
void write_dense(const WriteTarget& target, const DenseBox& box, const StridedView& values, std::uint64_t time,
                 const WriteOptions& options);

}  // namespace tegula::tiledb
