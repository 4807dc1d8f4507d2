// Queries of N-d dense arrays that can read a selection into a buffer: zarr, N-d carrays.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "query/columns/field.h"
#include "tegula/query.h"
#include "tegula/schema.h"
#include "tegula/work.h"

namespace tegula {

// Called from one thread at a time; reads may use the threads of `work`.
class GridSource {
 public:
  virtual ~GridSource() = default;
  // Integer dimensions.
  virtual const Schema& schema() const = 0;
  // Reads one attribute into `out`, which has the shape of the selection's result.
  virtual void read(const Selection& selection, std::string_view field, const StridedBuffer& out,
                    const Work& work) const = 0;
  // The same for an attribute of variable-length cells: sets data and offsets of `out`. Unless overridden, throws
  // unsupported.
  virtual void read_items(const Selection& selection, std::string_view field, Column& out, const Work& work) const;
};

// Honours fields (attributes, and dimensions as columns of coordinates), select or ranges, where (cells that do not
// match become fill), aggregates, row order and work. A result above the budget comes in blocks along the first axis of
// the result, each with its shape. Throws invalid_argument for what a dense array does not have (skip, limit,
// row_numbers).
std::unique_ptr<BatchStream> query_grid(std::shared_ptr<const GridSource> source, const Query& query,
                                        Rules rules = Rules::numpy);

// Ranges per dimension as an orthogonal selection. Throws invalid_argument for unknown dimensions and bounds outside.
Selection selection_of(const std::vector<DimensionRanges>& ranges, const Schema& schema);

// The part of a resolved selection with indices first .. first + count along `axis` of the array, as a selection.
Selection part_of(const Picks& picks, std::size_t axis, std::uint64_t first, std::uint64_t count);

}  // namespace tegula
