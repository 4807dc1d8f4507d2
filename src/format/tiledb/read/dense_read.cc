#include "format/tiledb/read/dense_read.h"

#include <cstring>
#include <deque>

#include "base/parallel.h"
#include "format/tiledb/fragment/tile_source.h"
#include "format/tiledb/fragment/tile_stream.h"
#include "model/strided.h"
#include "query/columns/gather.h"

namespace tegula::tiledb {

namespace {

constexpr std::byte kValid{1};

std::byte* place_at(const Target& target, const std::vector<std::uint64_t>& shape, std::uint64_t place) {
  std::byte* at = target.data;
  for (std::size_t d = shape.size(); d-- > 0; place /= shape[d])
    at += static_cast<std::int64_t>(place % shape[d]) * target.strides[d];
  return at;
}

ByteView validity_byte(const Attribute& attribute) {
  static constexpr std::byte kBytes[2] = {std::byte{0}, kValid};
  return {&kBytes[attribute.fill_valid ? 1 : 0], 1};
}

FieldInfo info_of(const Attribute& attribute) {
  return {attribute.name, attribute.type, attribute.values_per_cell, attribute.nullable, false, nullptr};
}

void overlay_fixed(const Snapshot& snapshot, const DensePlan& plan, const DenseField& field, const Work& work) {
  const Attribute& attribute = *field.attribute;
  for (const CellOverlay& overlay : plan.overlays) {
    const Fragment& fragment = *snapshot.fragments(work)[overlay.fragment];
    const StoredField* stored = stored_attribute(fragment, info_of(attribute));
    TileData tile;
    if (stored)
      tile = std::move(load_tiles(snapshot.files(), std::vector<TileRef>{{&fragment, stored, overlay.tile}}, work)[0]);
    for (std::size_t i = 0; i < overlay.cells.size(); ++i) {
      const std::uint64_t cell = overlay.cells[i];
      if (field.data.data)
        std::memcpy(place_at(field.data, plan.shape, overlay.places[i]),
                    stored ? tile.data.data() + cell * field.data.item : attribute.fill.data(), field.data.item);
      if (field.validity)
        *place_at(*field.validity, plan.shape, overlay.places[i]) = !stored ? validity_byte(attribute)[0]
                                                                    : tile.validity.empty() ? kValid
                                                                                            : tile.validity[cell];
    }
  }
}

// Variable cells are read in three steps: find the place of each cell, sum up their lengths, copy the bytes.
void read_var(const Snapshot& snapshot, const DensePlan& plan, const Attribute& attribute, bool fortran, Column& column,
              const Work& work) {
  const std::uint64_t cells = plan.cells();
  Buffer<ByteView> views(cells);
  const Target target{reinterpret_cast<std::byte*>(views.data()),
                      contiguous_strides(plan.shape, sizeof(ByteView), fortran), sizeof(ByteView)};
  const ByteView fill(attribute.fill);
  const ByteView fill_item = std::as_bytes(std::span(&fill, 1));
  std::optional<Target> validity;
  if (attribute.nullable) {
    column.validity.resize(cells);
    validity = Target{column.validity.data(), contiguous_strides(plan.shape, 1, fortran), 1};
  }
  const auto put_fill = [&](const Box& box) {
    fill_cells(box, fill_item, target);
    if (validity) fill_cells(box, validity_byte(attribute), *validity);
  };
  for (const Box& hole : plan.holes) put_fill(hole);

  std::vector<TileRef> refs;
  std::vector<const TileCopy*> copies;
  for (const TileCopy& copy : plan.copies) {
    const Fragment& fragment = *snapshot.fragments(work)[copy.fragment];
    if (const StoredField* stored = stored_attribute(fragment, info_of(attribute))) {
      refs.push_back({&fragment, stored, copy.tile});
      copies.push_back(&copy);
    } else {
      for (const Box& box : copy.boxes) put_fill(box);
    }
  }
  const std::size_t overlays_from = refs.size();
  std::vector<std::size_t> overlay_tile(plan.overlays.size(), SIZE_MAX);
  for (std::size_t i = 0; i < plan.overlays.size(); ++i) {
    const Fragment& fragment = *snapshot.fragments(work)[plan.overlays[i].fragment];
    if (const StoredField* stored = stored_attribute(fragment, info_of(attribute))) {
      overlay_tile[i] = refs.size();
      refs.push_back({&fragment, stored, plan.overlays[i].tile});
    }
  }
  const std::vector<TileData> tiles = load_tiles(snapshot.files(), refs, work);
  const auto view = [](const TileData& tile, std::uint64_t cell) {
    return ByteView(tile.data).subspan(tile.offsets[cell], tile.offsets[cell + 1] - tile.offsets[cell]);
  };
  parallel_for(work, overlays_from, [&](std::size_t i) {
    const TileData& tile = tiles[i];
    Buffer<ByteView> tile_views(tile.cells);
    for (std::uint64_t cell = 0; cell < tile.cells; ++cell) tile_views[cell] = view(tile, cell);
    for (const Box& box : copies[i]->boxes) {
      copy_cells(snapshot.grid(), box, 0, tile.cells, reinterpret_cast<const std::byte*>(tile_views.data()), target);
      if (!validity) continue;
      if (tile.validity.empty())
        fill_cells(box, {&kValid, 1}, *validity);
      else
        copy_cells(snapshot.grid(), box, 0, tile.cells, tile.validity.data(), *validity);
    }
  });
  for (std::size_t i = 0; i < plan.overlays.size(); ++i) {
    const CellOverlay& overlay = plan.overlays[i];
    const TileData* tile = overlay_tile[i] == SIZE_MAX ? nullptr : &tiles[overlay_tile[i]];
    for (std::size_t k = 0; k < overlay.cells.size(); ++k) {
      const ByteView bytes = tile ? view(*tile, overlay.cells[k]) : fill;
      std::memcpy(place_at(target, plan.shape, overlay.places[k]), &bytes, sizeof(bytes));
      if (validity)
        *place_at(*validity, plan.shape, overlay.places[k]) = !tile ? validity_byte(attribute)[0]
                                                              : tile->validity.empty()
                                                                  ? kValid
                                                                  : tile->validity[overlay.cells[k]];
    }
  }

  column.offsets.resize(cells + 1);
  column.offsets[0] = 0;
  for (std::uint64_t i = 0; i < cells; ++i) column.offsets[i + 1] = column.offsets[i] + views[i].size();
  column.data.resize(column.offsets[cells]);
  constexpr std::uint64_t kBlock = 1 << 14;
  parallel_for(work, (cells + kBlock - 1) / kBlock, [&](std::size_t b) {
    const std::uint64_t end = std::min(cells, (b + 1) * kBlock);
    for (std::uint64_t i = b * kBlock; i < end; ++i)
      if (!views[i].empty()) std::memcpy(column.data.data() + column.offsets[i], views[i].data(), views[i].size());
  });
}

void read_coordinates(const Snapshot& snapshot, const DensePlan& plan, const DenseSelection& selection, std::size_t d,
                      bool fortran, Column& column) {
  const std::size_t size = column.type.size;
  Bytes values(plan.shape[selection.points ? 0 : d] * size);
  if (selection.points) {
    for (std::uint64_t i = 0; i < plan.shape[0]; ++i)
      snapshot.grid().value(d, (*selection.points)[d][i], values.data() + i * size);
    column.data = std::move(values);
    return;
  }
  for (const Run& run : selection.axes[d].runs)
    for (std::uint64_t i = 0; i < run.count; ++i) {
      const std::uint64_t out = run.out + static_cast<std::uint64_t>(static_cast<std::int64_t>(i) * run.out_step);
      snapshot.grid().value(d, run.at(i), values.data() + out * size);
    }
  column.data.resize(plan.cells() * size);
  std::vector<std::int64_t> from(plan.shape.size(), 0);
  from[d] = static_cast<std::int64_t>(size);
  copy_box(column.data.data(), contiguous_strides(plan.shape, size, fortran), values.data(), from, plan.shape, size);
}

}  // namespace

void read_fixed(const Snapshot& snapshot, const DensePlan& plan, std::span<const DenseField> fields, const Work& work) {
  std::vector<TileStream> streams;
  std::deque<BoxSink> sinks;
  for (const DenseField& field : fields) {
    const Attribute& attribute = *field.attribute;
    const auto put_fill = [&](const Box& box) {
      if (field.data.data) fill_cells(box, attribute.fill, field.data);
      if (field.validity) fill_cells(box, validity_byte(attribute), *field.validity);
    };
    for (const Box& hole : plan.holes) put_fill(hole);
    for (const TileCopy& copy : plan.copies) {
      const Fragment& fragment = *snapshot.fragments(work)[copy.fragment];
      const StoredField* stored = stored_attribute(fragment, info_of(attribute));
      if (!stored) {
        for (const Box& box : copy.boxes) put_fill(box);
        continue;
      }
      if (field.data.data)
        streams.push_back(
            {{&fragment, stored, copy.tile}, false, &sinks.emplace_back(snapshot.grid(), copy.boxes, field.data)});
      if (!field.validity) continue;
      if (stored->nullable)
        streams.push_back(
            {{&fragment, stored, copy.tile}, true, &sinks.emplace_back(snapshot.grid(), copy.boxes, *field.validity)});
      else
        for (const Box& box : copy.boxes) fill_cells(box, {&kValid, 1}, *field.validity);
    }
  }
  stream_tiles(snapshot.files(), streams, work);
  if (!plan.overlays.empty())
    for (const DenseField& field : fields) overlay_fixed(snapshot, plan, field, work);
}

std::vector<Column> read_columns(const Snapshot& snapshot, const DensePlan& plan, const DenseSelection& selection,
                                 std::span<const FieldInfo> fields, bool fortran, const Work& work) {
  std::vector<Column> columns;
  columns.reserve(fields.size());
  std::vector<DenseField> fixed;
  const std::uint64_t cells = plan.cells();
  for (const FieldInfo& field : fields) {
    Column& column = columns.emplace_back(empty_column(field));
    if (field.dimension) {
      read_coordinates(snapshot, plan, selection, *snapshot.schema().dimension_index(field.name), fortran, column);
      continue;
    }
    const Attribute& attribute = *snapshot.model().attribute(field.name);
    if (field.var()) {
      read_var(snapshot, plan, attribute, fortran, column, work);
      continue;
    }
    const std::uint64_t size = field.cell_size();
    column.data.resize(cells * size);
    DenseField& to = fixed.emplace_back();
    to.attribute = &attribute;
    to.data = {column.data.data(), contiguous_strides(plan.shape, size, fortran), size};
    if (field.nullable) {
      column.validity.resize(cells);
      to.validity = Target{column.validity.data(), contiguous_strides(plan.shape, 1, fortran), 1};
    }
  }
  read_fixed(snapshot, plan, fixed, work);
  return columns;
}

}  // namespace tegula::tiledb
