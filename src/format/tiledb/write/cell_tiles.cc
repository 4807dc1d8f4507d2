#include "format/tiledb/write/cell_tiles.h"

#include <algorithm>
#include <string_view>

#include "format/tiledb/disk/with_type.h"
#include "query/columns/copy_picked.h"

namespace tegula::tiledb {

void gather_tile(const StoredField& field, const Column& column, std::span<const std::uint64_t> cells,
                 TileColumn& out) {
  if (field.var()) {
    out.offsets.resize(cells.size());
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      out.offsets[i] = bytes;
      bytes += column.offsets[cells[i] + 1] - column.offsets[cells[i]];
    }
    out.data.resize(bytes);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::uint64_t begin = column.offsets[cells[i]];
      std::copy_n(column.data.data() + begin, column.offsets[cells[i] + 1] - begin, out.data.data() + out.offsets[i]);
    }
  } else {
    out.data.resize(cells.size() * field.cell_size());
    copy_picked(column.data.data(), field.cell_size(), cells, out.data.data());
  }
  if (!field.nullable) return;
  out.validity.assign(cells.size(), std::byte{1});
  if (column.nullable)
    for (std::size_t i = 0; i < cells.size(); ++i) out.validity[i] = std::byte{column.valid(cells[i])};
}

TileRectangles::TileRectangles(const ArraySchema& schema, std::uint64_t tiles)
    : schema_(schema), low_(tiles * schema.dimensions.size()), high_(low_.size()) {}

void TileRectangles::take(std::uint64_t tile, const StoredField& field, const TileColumn& cells) {
  if (field.kind != FieldKind::dimension) return;
  Bytes& low = low_[tile * schema_.dimensions.size() + field.index];
  Bytes& high = high_[tile * schema_.dimensions.size() + field.index];
  const ByteView data = cells.data;
  if (field.var()) {
    std::string_view least, most;
    for (std::size_t i = 0; i < cells.offsets.size(); ++i) {
      const std::uint64_t end = i + 1 < cells.offsets.size() ? cells.offsets[i + 1] : data.size();
      const std::string_view text = text_of(data.subspan(cells.offsets[i], end - cells.offsets[i]));
      if (i == 0 || text < least) least = text;
      if (i == 0 || text > most) most = text;
    }
    low = copy_of(bytes_of(least));
    high = copy_of(bytes_of(most));
    return;
  }
  with_number(field.type, [&]<class T>(T) {
    T least = load_le<T>(data.data()), most = least;
    for (std::size_t i = 0; i < data.size(); i += sizeof(T)) {
      const T value = load_le<T>(data.data() + i);
      least = value < least ? value : least;
      most = value > most ? value : most;
    }
    low.resize(sizeof(T));
    high.resize(sizeof(T));
    store_le<T>(low.data(), least);
    store_le<T>(high.data(), most);
  });
}

void TileRectangles::append_to(MbrTable& rectangles) const {
  const std::size_t n = schema_.dimensions.size();
  for (std::size_t tile = 0; tile < low_.size() / n; ++tile) {
    const std::vector<ByteView> low(low_.begin() + static_cast<std::ptrdiff_t>(tile * n),
                                    low_.begin() + static_cast<std::ptrdiff_t>((tile + 1) * n));
    const std::vector<ByteView> high(high_.begin() + static_cast<std::ptrdiff_t>(tile * n),
                                     high_.begin() + static_cast<std::ptrdiff_t>((tile + 1) * n));
    rectangles.add(low, high);
  }
}

FragmentCover cover_of(MbrTable rectangles, const ArraySchema& schema, std::uint64_t last_tile_cells) {
  FragmentCover cover;
  MbrTable hull(schema.range_types());
  hull.add_hull(rectangles, 0, rectangles.count());
  cover.domain = hull.range(0);
  cover.rectangles = std::move(rectangles);
  cover.last_tile_cells = last_tile_cells;
  return cover;
}

}  // namespace tegula::tiledb
