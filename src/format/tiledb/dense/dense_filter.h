// Evaluating conditions on dense cells.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "format/tiledb/read/dense_read.h"
#include "query/condition/condition.h"

namespace tegula::tiledb {

// mask[i] is 1 where cell i of the block matches. `columns` are those of condition.fields(). Where the fragment that
// supplies a cell lacks a field, comparisons with the field are false, whatever its fill value.
std::vector<std::uint8_t> match_cells(const Snapshot& snapshot, const DensePlan& plan, const Condition& condition,
                                      std::span<const Column> columns, bool fortran, const Work& work);

// mask[i] is 1 where somebody wrote cell i of the block, in C order: and wrote `field` with it, when that is given.
// Empty when all cells are so.
std::vector<std::uint8_t> written_cells(const Snapshot& snapshot, const DensePlan& plan, const FieldInfo* field,
                                        const Work& work);

}  // namespace tegula::tiledb
