#include "query/columns/cells.h"

#include <algorithm>
#include <cstring>

#include "base/endian.h"

namespace tegula {

int compare_text(ByteView a, ByteView b, bool unicode, bool big_endian) {
  const std::size_t common = std::min(a.size(), b.size());
  if (unicode && !big_endian) {
    for (std::size_t i = 0; i + 4 <= common; i += 4) {
      const auto x = load_le<std::uint32_t>(a.data() + i), y = load_le<std::uint32_t>(b.data() + i);
      if (x != y) return x < y ? -1 : 1;
    }
  } else if (common) {
    if (const int order = std::memcmp(a.data(), b.data(), common)) return order;
  }
  return a.size() == b.size() ? 0 : a.size() < b.size() ? -1 : 1;
}

ByteView text_cell(const FieldInfo& field, const ColumnView& column, std::uint64_t i) {
  if (field.var()) return {column.data + column.offsets[i], column.offsets[i + 1] - column.offsets[i]};
  const std::uint64_t size = field.cell_size();
  return {column.data + i * size, size};
}

void mask_nulls(const ColumnView& column, std::uint64_t first, std::uint64_t count, std::uint8_t* mask) {
  if (!column.validity) return;
  for (std::uint64_t i = 0; i < count; ++i)
    mask[i] &= static_cast<std::uint8_t>(column.validity[first + i] != std::byte{0});
}

}  // namespace tegula
