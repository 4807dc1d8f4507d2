// Dense writes: the cells of a box become one fragment of whole tiles.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "format/tiledb/write/fragment_writer.h"
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
// The same for a box that no selection can name, since it lies 2^63 cells or more behind the start of the domain.
DenseBox box_of(const ArraySchema& schema, std::vector<std::uint64_t> first, std::vector<std::uint64_t> count);

// Every attribute. Cells are in the order of options: row or col over the box, or global: tile after tile, each
// cut to the box, in the schema's orders.
void write_dense(const WriteTarget& target, const DenseBox& box, const Batch& cells, std::uint64_t time,
                 const WriteOptions& options);
// The only attribute, of fixed size. `values` has the box's shape.
void write_dense(const WriteTarget& target, const DenseBox& box, const StridedView& values, std::uint64_t time,
                 const WriteOptions& options);

// A fragment of more cells than memory holds. Not thread-safe.
class DenseTileWriter {
 public:
  DenseTileWriter(const WriteTarget& target, const DenseBox& box, const FragmentTimes& times);
  ~DenseTileWriter();
  // The next tiles in global order, each with the cells that the box has of it; every attribute.
  void add(const Batch& cells, const Work& work);
  // Whole, and not committed yet. All tiles must have been added.
  std::unique_ptr<FragmentWriter> finish() &&;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The parts of it, for writes in several steps: appends the tiles around a box; what the footer says of a box.
void add_dense_tiles(FragmentWriter& writer, const ArraySchema& schema, const DenseBox& box, const Batch& cells,
                     Order order, const Work& work);
FragmentCover dense_cover(const ArraySchema& schema, const DenseBox& box);
void check_dense_order(Order order);  // throws invalid_argument unless row, col or global

}  // namespace tegula::tiledb
