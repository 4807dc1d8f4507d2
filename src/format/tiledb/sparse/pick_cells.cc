#include "format/tiledb/sparse/pick_cells.h"

#include <cstring>

#include "query/columns/copy_picked.h"

namespace tegula::tiledb {

TileData pick_cells(const TileData& tile, const StoredField& field, const TileHits& hits) {
  if (hits.all) return tile;
  TileData out;
  out.cells = hits.count;
  if (!tile.validity.empty()) {
    out.validity.resize(hits.count);
    copy_picked(tile.validity.data(), 1, std::span(hits.cells), out.validity.data());
  }
  if (!field.var()) {
    out.data.resize(hits.count * field.cell_size());
    copy_picked(tile.data.data(), field.cell_size(), std::span(hits.cells), out.data.data());
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
