// Places on the Hilbert curve, for cells in Hilbert order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "format/tiledb/disk/array_schema.h"
#include "query/columns/field.h"
#include "tegula/bytes.h"

namespace tegula::tiledb {

// Maps coordinates to the curve that a schema's dimensions span. Immutable; shared by threads.
class HilbertCurve {
 public:
  // `by_range`: hilbert_by_range(fragment version).
  HilbertCurve(const ArraySchema& schema, bool by_range = true);
  unsigned bits() const { return bits_; }
  // The bucket of one coordinate, and the place of a cell from the buckets of all its coordinates (which it
  // overwrites).
  std::uint64_t bucket(std::size_t dimension, ByteView coordinate) const;
  std::uint64_t place(std::span<std::uint64_t> buckets) const;
  // The places of the cells from `first` on; a column per dimension.
  void places(std::span<const ColumnView> columns, std::uint64_t first, std::span<std::uint64_t> out) const;

 private:
  struct Axis {
    Datatype type;
    bool var;
    double low, span;
  };
  std::vector<Axis> axes_;
  unsigned bits_;
};

}  // namespace tegula::tiledb
