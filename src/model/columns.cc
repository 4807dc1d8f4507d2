#include "tegula/columns.h"

namespace tegula {

ByteView Column::cell(std::size_t i) const {
  if (var()) return ByteView(data).subspan(offsets[i], offsets[i + 1] - offsets[i]);
  return ByteView(data).subspan(i * cell_size(), cell_size());
}

const Column* Batch::column(std::string_view name) const {
  for (const Column& column : columns)
    if (column.name == name) return &column;
  return nullptr;
}

}  // namespace tegula
