// Undoing the filters of one chunk.
#pragma once

#include <cstdint>
#include <span>

#include "format/tiledb/filter/filter_plan.h"
#include "format/tiledb/filter/filter_scratch.h"
#include "tegula/bytes.h"

namespace tegula::tiledb {

// Fills `out` exactly; the last filter to be undone writes straight into it. Throws corrupt.
void decode_chunk(const FilterPlan& plan, ByteView metadata, ByteView data, MutableBytes out, FilterScratch& scratch);
// The same for a chunk of text whose first filter (RLE or dictionary) holds the cell boundaries: also fills `offsets`,
// the start of each cell.
void decode_text_chunk(const FilterPlan& plan, ByteView metadata, ByteView data, MutableBytes out,
                       std::span<std::uint64_t> offsets, FilterScratch& scratch);

}  // namespace tegula::tiledb
