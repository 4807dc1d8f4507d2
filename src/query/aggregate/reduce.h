// Loops over typed cells for the aggregates. `keep` has one byte per cell, or is null when all cells count.
#pragma once

#include <cstdint>

#include "query/language/int128.h"
#include "tegula/datatype.h"

namespace tegula {

Int128 sum_integers(const Datatype& type, const std::byte* cells, std::uint64_t count, const std::uint8_t* keep);

// `start` plus the cells, in their order; with `lanes`, as several partial sums that are joined in a fixed order, which
// is faster and closer to the true sum.
double sum_reals(const Datatype& type, const std::byte* cells, std::uint64_t count, const std::uint8_t* keep,
                 double start, bool lanes);

// Count, mean and sum of squared differences from it.
struct Moments {
  double count = 0, mean = 0, squares = 0;
  void merge(const Moments& other);
  double deviation() const;  // of the population
};
Moments moments_of(const Datatype& type, const std::byte* cells, std::uint64_t count, const std::uint8_t* keep);

// Smallest or largest number, into `value` (one cell), which is compared too when `has_value`. With `propagate` a NaN
// or NaT wins, and a zero is +0, so that the order of the cells does not matter; otherwise a NaN is replaced by
// whatever number follows it, as in libtiledb. At least one cell must count.
void extreme_number(const Datatype& type, bool min, bool propagate, const std::byte* cells, std::uint64_t count,
                    const std::uint8_t* keep, bool has_value, std::byte* value);

}  // namespace tegula
