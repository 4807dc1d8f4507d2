// Applying filters to one chunk.
#pragma once

#include <cstdint>
#include <span>

#include "format/tiledb/filter/filter_plan.h"
#include "format/tiledb/filter/filter_scratch.h"
#include "tegula/bytes.h"

namespace tegula::tiledb {

// Appends the filtered chunk to `metadata` and `data`. Throws invalid_argument for data that a filter cannot store.
void encode_chunk(const FilterPlan& plan, ByteView raw, Bytes& metadata, Bytes& data, FilterScratch& scratch);
// The same for text whose first filter (RLE or dictionary) stores the cell boundaries too. `offsets` holds the start of
// each cell.
void encode_text_chunk(const FilterPlan& plan, ByteView raw, std::span<const std::uint64_t> offsets, Bytes& metadata,
                       Bytes& data, FilterScratch& scratch);

}  // namespace tegula::tiledb
