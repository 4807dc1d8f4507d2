// Values of the cells that make a sparse result. Tiles are decoded once per field; each value goes straight to its
// place.
#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "format/tiledb/sparse_cells.h"
#include "format/tiledb/tile_source.h"
#include "query/gather.h"

namespace tegula::tiledb {

namespace {

constexpr std::uint64_t kSlabBytes = 64 << 20;
constexpr std::uint64_t kNowhere = UINT64_MAX;

void scatter(const TileData& tile, std::span<const std::uint32_t> cells, std::span<const std::uint64_t> places,
             std::size_t size, std::byte* out) {
  const auto copy = [&]<std::size_t kSize>(std::integral_constant<std::size_t, kSize>) {
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (places[i] != kNowhere)
        std::memcpy(out + places[i] * kSize, tile.data.data() + std::uint64_t{cells[i]} * kSize, kSize);
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
        if (places[i] != kNowhere)
          std::memcpy(out + places[i] * size, tile.data.data() + std::uint64_t{cells[i]} * size, size);
  }
}

class FieldGatherer {
 public:
  FieldGatherer(const SparseQuery& query, const SparseCells& cells, std::span<const std::uint64_t> order,
                const Work& work)
      : query_(query), cells_(cells), order_(order), work_(work), places_(cells.count(), kNowhere) {
    for (std::uint64_t i = 0; i < order.size(); ++i) places_[order[i]] = i;
    for (std::size_t t = 0; t < cells.tiles.size(); ++t) {
      const auto begin = places_.begin() + static_cast<std::ptrdiff_t>(cells.first[t]);
      const auto end = places_.begin() + static_cast<std::ptrdiff_t>(cells.first[t + 1]);
      if (std::any_of(begin, end, [](std::uint64_t place) { return place != kNowhere; })) tiles_.push_back(t);
    }
  }

  void prefetch_all(std::span<const FieldInfo> fields) const {
    for (std::size_t i = 0; i < tiles_.size(); ++i) {
      if (i > 0 && cells_.tiles[tiles_[i]].fragment == cells_.tiles[tiles_[i - 1]].fragment) continue;
      std::vector<const StoredField*> wanted;
      for (const FieldInfo& field : fields)
        if (const StoredField* stored = stored_field(fragment(i), field)) wanted.push_back(stored);
      prefetch(fragment(i), wanted);
    }
  }

  Column gather(const FieldInfo& field) const {
    Column column = empty_column(field);
    if (field.nullable) column.validity.assign(order_.size(), std::byte{1});
    if (!field.var()) column.data.resize(order_.size() * field.cell_size());
    // Variable cells: bytes of all tiles are kept until their total is known.
    std::vector<TileData> kept;
    Buffer<ByteView> views(field.var() ? order_.size() : 0);
    const Attribute* attribute = field.dimension ? nullptr : query_.state->model().attribute(field.name);

    std::vector<TileRef> refs;
    std::vector<std::size_t> tile_of;
    for (std::size_t i = 0; i < tiles_.size(); ++i) {
      if (const StoredField* stored = stored_field(fragment(i), field)) {
        refs.push_back({&fragment(i), stored, cells_.tiles[tiles_[i]].tile});
        tile_of.push_back(tiles_[i]);
      } else {
        fill(tiles_[i], *attribute, column, views);
      }
    }
    for (const auto& [begin, end] : slabs(refs.size(), field.var() ? UINT64_MAX : kSlabBytes,
                                          [&](std::size_t i) { return decoded_bytes(refs[i]); })) {
      std::vector<TileData> loaded =
          load_tiles(query_.state->files(), std::span(refs).subspan(begin, end - begin), work_);
      parallel_for(work_, loaded.size(), [&](std::size_t k) {
        take(loaded[k], tile_of[begin + k], refs[begin + k].field->nullable, column, views);
      });
      if (field.var()) kept = std::move(loaded);
    }
    if (field.var()) join(views, column);
    return column;
  }

 private:
  const Fragment& fragment(std::size_t i) const {
    return *query_.state->fragments(work_)[cells_.tiles[tiles_[i]].fragment];
  }
  std::span<const std::uint64_t> places(std::size_t tile) const {
    return std::span(places_).subspan(cells_.first[tile], cells_.first[tile + 1] - cells_.first[tile]);
  }
  std::span<const std::uint32_t> cells(std::size_t tile) const {
    return std::span(cells_.cell).subspan(cells_.first[tile], cells_.first[tile + 1] - cells_.first[tile]);
  }

  void fill(std::size_t tile, const Attribute& attribute, Column& column, Buffer<ByteView>& views) const {
    for (const std::uint64_t place : places(tile)) {
      if (place == kNowhere) continue;
      if (column.var())
        views[place] = attribute.fill;
      else
        std::memcpy(column.data.data() + place * attribute.fill.size(), attribute.fill.data(), attribute.fill.size());
      if (column.nullable) column.validity[place] = std::byte{attribute.fill_valid};
    }
  }

  void take(const TileData& data, std::size_t tile, bool nullable, Column& column, Buffer<ByteView>& views) const {
    const std::span<const std::uint32_t> cell = cells(tile);
    const std::span<const std::uint64_t> place = places(tile);
    if (column.var()) {
      for (std::size_t i = 0; i < cell.size(); ++i)
        if (place[i] != kNowhere)
          views[place[i]] =
              ByteView(data.data).subspan(data.offsets[cell[i]], data.offsets[cell[i] + 1] - data.offsets[cell[i]]);
    } else {
      scatter(data, cell, place, column.cell_size(), column.data.data());
    }
    if (column.nullable && nullable)
      for (std::size_t i = 0; i < cell.size(); ++i)
        if (place[i] != kNowhere) column.validity[place[i]] = data.validity[cell[i]];
  }

  void join(const Buffer<ByteView>& views, Column& column) const {
    column.offsets.resize(views.size() + 1);
    column.offsets[0] = 0;
    for (std::size_t i = 0; i < views.size(); ++i) column.offsets[i + 1] = column.offsets[i] + views[i].size();
    column.data.resize(column.offsets.back());
    constexpr std::size_t kBlock = 1 << 14;
    parallel_for(work_, (views.size() + kBlock - 1) / kBlock, [&](std::size_t b) {
      const std::size_t end = std::min(views.size(), (b + 1) * kBlock);
      for (std::size_t i = b * kBlock; i < end; ++i)
        if (!views[i].empty()) std::memcpy(column.data.data() + column.offsets[i], views[i].data(), views[i].size());
    });
  }

  const SparseQuery& query_;
  const SparseCells& cells_;
  std::span<const std::uint64_t> order_;
  const Work& work_;
  Buffer<std::uint64_t> places_;    // of each candidate in the result
  std::vector<std::size_t> tiles_;  // that have cells in the result
};

}  // namespace

std::vector<Column> gather_fields(const SparseQuery& query, const SparseCells& cells,
                                  std::span<const std::uint64_t> order, std::span<const FieldInfo> fields,
                                  const Work& work) {
  // Cells that show more than once are loaded once and repeated at the end.
  Buffer<std::uint64_t> once, repeat;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && order[i] == order[i - 1] && repeat.empty()) {
      once.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(i));
      for (std::uint64_t k = 0; k < i; ++k) repeat.push_back(k);
    }
    if (repeat.empty()) continue;
    if (order[i] != order[i - 1]) once.push_back(order[i]);
    repeat.push_back(once.size() - 1);
  }
  const std::span<const std::uint64_t> cells_once = repeat.empty() ? order : std::span<const std::uint64_t>(once);

  std::vector<Column> columns;
  std::vector<FieldInfo> loaded;
  for (const FieldInfo& field : fields)
    if (!field.dimension || cells.coordinates.empty()) loaded.push_back(field);
  std::optional<FieldGatherer> gatherer;
  if (!loaded.empty()) {
    gatherer.emplace(query, cells, cells_once, work);
    gatherer->prefetch_all(loaded);
  }
  for (const FieldInfo& field : fields) {
    if (field.dimension && !cells.coordinates.empty())
      columns.push_back(gather(cells.coordinates[*query.state->schema().dimension_index(field.name)], cells_once));
    else
      columns.push_back(gatherer->gather(field));
    if (!repeat.empty()) columns.back() = gather(columns.back(), repeat);
  }
  return columns;
}

}  // namespace tegula::tiledb
