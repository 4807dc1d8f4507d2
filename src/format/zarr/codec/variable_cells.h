// Lists of cells of any length.
#pragma once

#include <span>

#include "format/zarr/codec/codec_chain.h"

namespace tegula::zarr {

// The cells whose numbers are in `order`, in that order.
VariableCells pick_cells(const VariableCells& items, std::span<const std::uint64_t> order);
inline std::uint64_t count_cells(const VariableCells& items) { return items.offsets.size() - 1; }
inline ByteView cell_of(const VariableCells& items, std::uint64_t i) {
  return ByteView(items.data).subspan(items.offsets[i], items.offsets[i + 1] - items.offsets[i]);
}
void push_cell(VariableCells& items, ByteView item);

}  // namespace tegula::zarr
