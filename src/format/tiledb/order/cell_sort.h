// Sorting sparse cells as integers: a key per cell is computed once, and coordinates are compared only where keys tie.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "format/tiledb/disk/array_schema.h"
#include "format/tiledb/order/hilbert.h"
#include "tegula/bytes.h"
#include "tegula/columns.h"
#include "tegula/work.h"

namespace tegula::tiledb {

// Row, col or global order of a schema's cells. Immutable; shared by threads.
class CellOrder {
 public:
  CellOrder(const ArraySchema& schema, Order order);

  using Coordinates = std::span<const Column* const>;  // a column per dimension
  // Indices of the cells in this order; cells with equal coordinates keep the order of their indices. `twins` becomes
  // the first pair of cells with equal coordinates, if there is one.
  using Twins = std::optional<std::pair<std::uint64_t, std::uint64_t>>;
  Buffer<std::uint64_t> sort(Coordinates coordinates, const Work& work, Twins* twins = nullptr) const;
  Buffer<std::uint64_t> sort(std::span<const Column> coordinates, const Work& work, Twins* twins = nullptr) const;
  // Whether two cells lie at the same place.
  static bool same_place(std::span<const Column> coordinates, std::uint64_t a, std::uint64_t b);
  static bool same_place(Coordinates coordinates, std::uint64_t a, std::uint64_t b);

 private:
  // What is compared, most significant first.
  struct Step {
    enum class Kind : std::uint8_t { coordinate, tile, in_tile, hilbert } kind;
    std::size_t dimension = 0;
    std::uint64_t low = 0, extent = 1;  // tiles of integers, as ordered integers
    double float_low = 0, float_extent = 1;
  };
  // A step as a part of the key: value - base, of which the highest `taken` of `bits` bits count.
  struct Part {
    const Step* step = nullptr;
    std::uint64_t base = 0;
    unsigned bits = 0, taken = 0;
    Buffer<std::uint64_t> values;  // of steps that are expensive to compute; empty: computed when needed
  };
  struct Parts {
    std::vector<Part> parts;
    unsigned bits = 0;         // of the key
    bool exact = true;         // equal keys mean equal coordinates
    bool tiles_in_key = true;  // equal keys mean equal tiles and places on a curve
  };
  Parts plan_key(Coordinates coordinates, std::uint64_t cells, const Work& work) const;
  // Keys of the cells from `begin` on.
  void keys(const Parts& parts, Coordinates coordinates, std::uint64_t begin, std::span<std::uint64_t> out) const;
  // Values of any step, and of a step on numbers.
  Buffer<std::uint64_t> values_of(const Step& step, Coordinates coordinates, std::uint64_t cells,
                                  const Work& work) const;
  static void number_values(const Step& step, const Column& column, std::uint64_t begin, std::span<std::uint64_t> out);
  template <class E, class Make, class Key>
  Buffer<std::uint64_t> sort_as(const Parts& parts, Coordinates coordinates, std::uint64_t cells, Make make, Key key,
                                unsigned low, const Work& work, Twins* twins) const;
  int compare(Coordinates coordinates, std::uint64_t a, std::uint64_t b) const;

  std::vector<Step> steps_;
  std::shared_ptr<const HilbertCurve> curve_;
};

}  // namespace tegula::tiledb
