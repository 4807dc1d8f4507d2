// Sparse fragments in dense arrays, which versions 1 to 10 could write.
#pragma once

#include <memory>
#include <span>

#include "format/tiledb/fragment/fragment.h"
#include "format/tiledb/order/dense_grid.h"
#include "format/tiledb/read/dense_plan.h"
#include "tegula/work.h"

namespace tegula::tiledb {

struct OverlaySources {
  const ArrayFiles& files;
  const DenseGrid& grid;
  std::span<const std::shared_ptr<const Fragment>> fragments;
  std::span<const SourceBox> sparse;  // oldest first
};

// What a plan was made for: a selection along each axis, or single cells.
struct PlannedCells {
  std::span<const AxisRuns> axes;
  const DensePoints* points = nullptr;
};

// Adds the cells of sparse fragments to a plan of the dense ones. Such a cell hides what is older at its place, and
// newer dense fragments hide it.
void add_overlays(DensePlan& plan, const OverlaySources& sources, const PlannedCells& cells, const Work& work);

}  // namespace tegula::tiledb
