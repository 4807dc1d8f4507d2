// Dense writes: the cells of a box become one fragment of whole tiles.
#pragma once

#include <cstdint>
#include <memory>

#include "format/tiledb/write/dense_box.h"
#include "format/tiledb/write/fragment_writer.h"
#include "tegula/array.h"

namespace tegula::tiledb {

// Writes every attribute. Cells are in options.order over the box: row, col, or global (tile by tile, each cut to the
// box, in the schema's orders).
void write_dense(const WriteTarget& target, const DenseBox& box, const Batch& cells, std::uint64_t time,
                 const WriteOptions& options);
// Writes the only attribute, which has a fixed size. `values` has the shape of the box.
void write_dense(const WriteTarget& target, const DenseBox& box, const StridedView& values, std::uint64_t time,
                 const WriteOptions& options);

// Writes a fragment of more cells than memory holds. Not thread-safe.
class DenseTileWriter {
 public:
  DenseTileWriter(const WriteTarget& target, const DenseBox& box, const FragmentTimes& times);
  ~DenseTileWriter();
  // Adds the next tiles in global order, each with its cells that lie in the box; every attribute.
  void add(const Batch& cells, const Work& work);
  // Returns the finished fragment, not committed yet. All tiles must have been added.
  std::unique_ptr<FragmentWriter> finish() &&;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// For writes in several steps: appends the tiles around a box.
void add_dense_tiles(FragmentWriter& writer, const ArraySchema& schema, const DenseBox& box, const Batch& cells,
                     Order order, const Work& work);
// Of the only attribute, which has a fixed size.
void add_dense_tiles(FragmentWriter& writer, const ArraySchema& schema, const DenseBox& box, const StridedView& values,
                     const Work& work);
void check_dense_order(Order order);  // throws invalid_argument unless row, col or global

}  // namespace tegula::tiledb
