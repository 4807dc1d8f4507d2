// Reading the cells of a dense plan, field by field.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "format/tiledb/read/dense_plan.h"
#include "format/tiledb/read/snapshot.h"
#include "tegula/columns.h"
#include "tegula/work.h"

namespace tegula::tiledb {

// A field of fixed-size cells and where its values go.
struct DenseField {
  const Attribute* attribute = nullptr;
  Target data;
  std::optional<Target> validity;  // nullable attributes whose validity is wanted
};

// Decodes the chunks that the plan touches, straight into the result where the layouts agree.
void read_fixed(const Snapshot& snapshot, const DensePlan& plan, std::span<const DenseField> fields, const Work& work);

// Columns of the fields, in C order of the plan's shape or, with `fortran`, first axis fastest. A dimension's column
// holds coordinates, so `selection` must be the one the plan was made for.
struct DenseSelection {
  std::vector<AxisRuns> axes;
  std::optional<DensePoints> points;
};
std::vector<Column> read_columns(const Snapshot& snapshot, const DensePlan& plan, const DenseSelection& selection,
                                 std::span<const FieldInfo> fields, bool fortran, const Work& work);

}  // namespace tegula::tiledb
