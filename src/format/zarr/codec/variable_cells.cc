#include "format/zarr/codec/variable_cells.h"

namespace tegula::zarr {

void push_cell(VariableCells& items, ByteView item) {
  items.data.insert(items.data.end(), item.begin(), item.end());
  items.offsets.push_back(items.data.size());
}

VariableCells pick_cells(const VariableCells& items, std::span<const std::uint64_t> order) {
  VariableCells out;
  out.data.reserve(items.data.size());
  out.offsets.push_back(0);
  for (const std::uint64_t i : order) push_cell(out, cell_of(items, i));
  return out;
}

}  // namespace tegula::zarr
