#include "format/tiledb/sparse/cell_copy.h"

#include <cstring>

namespace tegula::tiledb {

void copy_picked(const std::byte* from, std::size_t size, std::span<const std::uint32_t> cells, std::byte* out) {
  const auto copy = [&]<std::size_t kSize>(std::integral_constant<std::size_t, kSize>) {
    for (std::size_t i = 0; i < cells.size(); ++i)
      std::memcpy(out + i * kSize, from + std::uint64_t{cells[i]} * kSize, kSize);
  };
  switch (size) {
    case 1:
      return copy(std::integral_constant<std::size_t, 1>{});
    case 2:
      return copy(std::integral_constant<std::size_t, 2>{});
    case 4:
      return copy(std::integral_constant<std::size_t, 4>{});
    case 8:
      return copy(std::integral_constant<std::size_t, 8>{});
    default:
      for (std::size_t i = 0; i < cells.size(); ++i)
        std::memcpy(out + i * size, from + std::uint64_t{cells[i]} * size, size);
  }
}

TileData pick_cells(const TileData& tile, const StoredField& field, const TileHits& hits) {
  if (hits.all) return tile;
  TileData out;
  out.cells = hits.count;
  if (!tile.validity.empty()) {
    out.validity.resize(hits.count);
    copy_picked(tile.validity.data(), 1, hits.cells, out.validity.data());
  }
  if (!field.var()) {
    out.data.resize(hits.count * field.cell_size());
    copy_picked(tile.data.data(), field.cell_size(), hits.cells, out.data.data());
    return out;
  }
  out.offsets.resize(hits.count + 1);
  out.offsets[0] = 0;
  for (std::uint64_t i = 0; i < hits.count; ++i)
    out.offsets[i + 1] = out.offsets[i] + (tile.offsets[hits.cells[i] + 1] - tile.offsets[hits.cells[i]]);
  out.data.resize(out.offsets[hits.count]);
  for (std::uint64_t i = 0; i < hits.count; ++i)
    if (const std::uint64_t size = out.offsets[i + 1] - out.offsets[i]; size != 0)
      std::memcpy(out.data.data() + out.offsets[i], tile.data.data() + tile.offsets[hits.cells[i]], size);
  return out;
}

}  // namespace tegula::tiledb
