// Compares two arrays, whatever their formats.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "convert/target.h"
#include "tegula/array.h"

namespace tegula {

// One cell that differs. The columns hold just that cell.
struct Difference {
  std::string field;
  std::vector<std::uint64_t> index;  // dense: along each axis; otherwise the row in row-major order
  Column left, right;
};

struct Comparison {
  std::vector<std::string> schema;  // differences found before comparing cells: shapes, fields
  std::uint64_t cells = 0;          // compared, over all fields
  std::uint64_t different = 0;
  std::vector<Difference> first;  // at most kMost of them
  static constexpr std::size_t kMost = 10;
  bool same() const { return schema.empty() && different == 0; }
};

// Compares values as equal_cells() does, whatever their encodings. Two arrays of one attribute each may name it
// differently. Holds two blocks at a time.
Comparison compare(const Array& left, const Array& right, const Work& work);

// Is `copy` what convert() makes of `source`? As compare(), but the losses in `target` are not differences: null cells
// that became the fill value, dimensions of sparse cells that became columns.
Comparison compare_copy(const Array& source, const Target& target, const Array& copy, const Work& work);

}  // namespace tegula
