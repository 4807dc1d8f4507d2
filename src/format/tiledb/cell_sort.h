// Sorting sparse cells as integers: a key per cell is computed once, and coordinates are compared only where keys tie.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "format/tiledb/array_schema.h"
#include "format/tiledb/hilbert.h"
#include "tegula/bytes.h"
#include "tegula/columns.h"
#include "tegula/work.h"

namespace tegula::tiledb {

// Row, col or global order of a schema's cells. Immutable; shared by threads.
class CellOrder {
 public:
  CellOrder(const ArraySchema& schema, Order order);

  // Indices of the cells in this order; cells with equal coordinates keep the order of their indices. `coordinates` has
  // one column per dimension.
  Buffer<std::uint64_t> sort(std::span<const Column> coordinates, const Work& work) const;
  // Whether two cells lie at the same place.
  static bool same_place(std::span<const Column> coordinates, std::uint64_t a, std::uint64_t b);

 private:
  // What is compared, most significant first.
  struct Step {
    enum class Kind : std::uint8_t { coordinate, tile, in_tile, hilbert } kind;
    std::size_t dimension = 0;
    std::uint64_t low = 0, extent = 1;  // tiles of integers, as ordered integers
    double float_low = 0, float_extent = 1;
  };
  // The value of a step for every cell, and how many low bits of it can differ. Text gives a prefix.
  struct Values {
    Buffer<std::uint64_t> values;
    bool exact = true;
  };
  Values values_of(const Step& step, std::span<const Column> coordinates, std::uint64_t cells, const Work& work) const;
  int compare(std::span<const Column> coordinates, std::uint64_t a, std::uint64_t b) const;

  std::vector<Step> steps_;
  std::shared_ptr<const HilbertCurve> curve_;
};

// Sorts by key, keeping the order of equal keys.
struct KeyedCell {
  std::uint64_t key = 0, index = 0;
};
void sort_by_key(Buffer<KeyedCell>& cells, const Work& work);

}  // namespace tegula::tiledb
