#include "format/tiledb/cell_tiles.h"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <vector>

#include "base/parallel.h"
#include "format/tiledb/with_type.h"

namespace tegula::tiledb {

namespace {

template <std::size_t N>
void gather_items(const std::byte* from, std::span<const std::uint64_t> order, std::byte* to) {
  for (std::size_t i = 0; i < order.size(); ++i) std::memcpy(to + i * N, from + order[i] * N, N);
}

void gather(const std::byte* from, std::span<const std::uint64_t> order, std::size_t size, Bytes& out) {
  out.resize(order.size() * size);
  switch (size) {
    case 1:
      return gather_items<1>(from, order, out.data());
    case 2:
      return gather_items<2>(from, order, out.data());
    case 4:
      return gather_items<4>(from, order, out.data());
    case 8:
      return gather_items<8>(from, order, out.data());
    default:
      for (std::size_t i = 0; i < order.size(); ++i) std::memcpy(out.data() + i * size, from + order[i] * size, size);
  }
}

// Smallest and largest coordinate of some cells.
std::pair<ByteView, ByteView> extremes(const SchemaDimension& dimension, const Column& column,
                                       std::span<const std::uint64_t> order) {
  std::uint64_t low = order[0], high = order[0];
  if (dimension.var()) {
    for (const std::uint64_t i : order) {
      if (text_of(column.cell(i)) < text_of(column.cell(low))) low = i;
      if (text_of(column.cell(i)) > text_of(column.cell(high))) high = i;
    }
  } else {
    with_number(dimension.type, [&]<class T>(T) {
      const std::byte* data = column.data.data();
      T smallest = load_le<T>(data + low * sizeof(T)), largest = smallest;
      for (const std::uint64_t i : order) {
        const T value = load_le<T>(data + i * sizeof(T));
        if (value < smallest) smallest = value, low = i;
        if (value > largest) largest = value, high = i;
      }
    });
  }
  return {column.cell(low), column.cell(high)};
}

}  // namespace

TileColumn gather_tile(const StoredField& field, const Column& column, std::span<const std::uint64_t> cells) {
  TileColumn tile;
  if (field.var()) {
    tile.offsets.resize(cells.size());
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      tile.offsets[i] = bytes;
      bytes += column.cell(cells[i]).size();
    }
    tile.data.resize(bytes);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const ByteView cell = column.cell(cells[i]);
      std::copy(cell.begin(), cell.end(), tile.data.begin() + static_cast<std::ptrdiff_t>(tile.offsets[i]));
    }
  } else {
    gather(column.data.data(), cells, field.cell_size(), tile.data);
  }
  if (!field.nullable) return tile;
  tile.validity.assign(cells.size(), std::byte{1});
  if (column.nullable)
    for (std::size_t i = 0; i < cells.size(); ++i) tile.validity[i] = std::byte{column.valid(cells[i])};
  return tile;
}

void add_rectangles(const ArraySchema& schema, std::span<const Column* const> dimensions,
                    std::span<const std::uint64_t> order, MbrTable& rectangles, const Work& work) {
  const std::uint64_t tiles = (order.size() + schema.capacity - 1) / schema.capacity;
  const std::size_t n = schema.dimensions.size();
  std::vector<ByteView> low(tiles * n), high(tiles * n);
  parallel_for(work, tiles, [&](std::size_t tile) {
    const std::uint64_t first = tile * schema.capacity;
    const auto cells = order.subspan(first, std::min<std::uint64_t>(schema.capacity, order.size() - first));
    for (std::size_t d = 0; d < n; ++d)
      std::tie(low[tile * n + d], high[tile * n + d]) = extremes(schema.dimensions[d], *dimensions[d], cells);
  });
  for (std::uint64_t tile = 0; tile < tiles; ++tile)
    rectangles.add(std::span(low).subspan(tile * n, n), std::span(high).subspan(tile * n, n));
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
