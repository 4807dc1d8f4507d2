#include "format/tiledb/sparse_cells.h"

#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "format/tiledb/cell_sort.h"
#include "format/tiledb/tile_source.h"
#include "query/gather.h"

namespace tegula::tiledb {

namespace {

constexpr std::uint64_t kSlabBytes = 64 << 20;

bool partly_visible(const Fragment& fragment, const TimeWindow& window) {
  return fragment.has_timestamps() && !window.contains(fragment.first_time(), fragment.last_time());
}

bool needs_times(const SparseQuery& query, std::uint32_t f) {
  const Fragment& fragment = *query.state->fragments({})[f];
  if (!fragment.has_timestamps()) return false;
  if (query.deduplicates() || partly_visible(fragment, query.state->window())) return true;
  return std::any_of(query.deletes[f].begin(), query.deletes[f].end(),
                     [](const FragmentDelete& d) { return d.by_time; });
}

// One tile while its candidates are found.
struct Finding {
  std::size_t first_part = 0;  // of its dimensions in the loaded tiles
  std::size_t time_part = 0;   // of its times
  std::vector<std::uint32_t> cells;
  bool all = false;
};

void append_cells(Column& column, const TileData& tile, const Finding& finding, std::uint64_t at) {
  const std::uint64_t count = finding.all ? tile.cells : finding.cells.size();
  const std::size_t size = column.type.size;
  std::byte* out = column.data.data() + at * size;
  if (finding.all) {
    std::memcpy(out, tile.data.data(), count * size);
    return;
  }
  const auto copy = [&]<std::size_t kSize>(std::integral_constant<std::size_t, kSize>) {
    for (std::uint64_t i = 0; i < count; ++i)
      std::memcpy(out + i * kSize, tile.data.data() + finding.cells[i] * kSize, kSize);
  };
  switch (size) {
    case 1:
      return copy(std::integral_constant<std::size_t, 1>{});
    case 2:
      return copy(std::integral_constant<std::size_t, 2>{});
    case 4:
      return copy(std::integral_constant<std::size_t, 4>{});
    default:
      return copy(std::integral_constant<std::size_t, 8>{});
  }
}

void append_text(Column& column, const TileData& tile, const Finding& finding) {
  const std::uint64_t count = finding.all ? tile.cells : finding.cells.size();
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t cell = finding.all ? i : finding.cells[i];
    const auto begin = tile.data.begin() + static_cast<std::ptrdiff_t>(tile.offsets[cell]);
    column.data.insert(column.data.end(), begin,
                       begin + static_cast<std::ptrdiff_t>(tile.offsets[cell + 1] - tile.offsets[cell]));
    column.offsets.push_back(column.data.size());
  }
}

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> slabs(std::size_t tiles, std::uint64_t limit,
                                                       const std::function<std::uint64_t(std::size_t)>& bytes) {
  std::vector<std::pair<std::size_t, std::size_t>> runs;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < tiles; ++i) {
    const std::uint64_t more = bytes(i);
    if (runs.empty() || sum + more > limit) {
      runs.emplace_back(i, i);
      sum = 0;
    }
    runs.back().second = i + 1;
    sum += more;
  }
  return runs;
}

SparseCells find_cells(const SparseQuery& query, const RangeSet& ranges, std::vector<SparseTile> tiles,
                       const Work& work) {
  const ReadState& state = *query.state;
  const auto& fragments = state.fragments(work);
  const std::size_t n = state.schema().dimensions.size();
  const bool keep_coordinates = query.sorts();

  SparseCells result;
  result.tiles = std::move(tiles);
  if (keep_coordinates)
    for (const FieldInfo& field : state.fields())
      if (field.dimension) result.coordinates.push_back(empty_column(field));
  bool any_times = false;
  for (const SparseTile& tile : result.tiles) any_times = any_times || needs_times(query, tile.fragment);

  // What to load of each tile: its dimensions, then its times.
  const auto parts_of = [&](const SparseTile& tile) {
    std::vector<TileRef> parts;
    const Fragment* fragment = fragments[tile.fragment].get();
    if (keep_coordinates || tile.overlap != Overlap::all)
      for (std::size_t d = 0; d < n; ++d)
        if (keep_coordinates || !ranges[d].whole())
          parts.push_back({fragment, fragment->field(fragment->schema().dimensions[d].name), tile.tile});
    if (needs_times(query, tile.fragment))
      parts.push_back({fragment, fragment->special(FieldKind::timestamps), tile.tile});
    return parts;
  };
  for (std::size_t i = 0; i < result.tiles.size(); ++i) {
    if (i > 0 && result.tiles[i].fragment == result.tiles[i - 1].fragment) continue;
    std::vector<const StoredField*> fields;
    for (const TileRef& ref : parts_of(result.tiles[i])) fields.push_back(ref.field);
    prefetch(*fragments[result.tiles[i].fragment], fields);
  }

  result.first.push_back(0);
  for (const auto& [begin, end] : slabs(result.tiles.size(), kSlabBytes, [&](std::size_t i) {
         std::uint64_t bytes = 0;
         for (const TileRef& ref : parts_of(result.tiles[i])) bytes += decoded_bytes(ref);
         return bytes;
       })) {
    std::vector<TileRef> refs;
    std::vector<Finding> findings(end - begin);
    for (std::size_t i = begin; i < end; ++i) {
      findings[i - begin].first_part = refs.size();
      for (const TileRef& ref : parts_of(result.tiles[i])) refs.push_back(ref);
      findings[i - begin].time_part = refs.size() - 1;
    }
    const std::vector<TileData> loaded = load_in_file_order(state.files(), refs, work);
    parallel_for(work, end - begin, [&](std::size_t k) {
      const SparseTile& tile = result.tiles[begin + k];
      Finding& finding = findings[k];
      const Fragment& fragment = *fragments[tile.fragment];
      const bool by_time = partly_visible(fragment, state.window());
      finding.all = tile.overlap == Overlap::all && !by_time;
      if (finding.all) return;
      std::vector<std::uint8_t> mask(tile.cells, 1);
      std::size_t part = finding.first_part;
      if (keep_coordinates || tile.overlap != Overlap::all)
        for (std::size_t d = 0; d < n; ++d) {
          if (!keep_coordinates && ranges[d].whole()) continue;
          const TileData& data = loaded[part++];
          if (tile.overlap != Overlap::all) ranges[d].filter({data.data.data(), data.offsets.data()}, mask);
        }
      if (by_time) {
        const std::byte* times = loaded[finding.time_part].data.data();
        for (std::uint64_t i = 0; i < tile.cells; ++i)
          mask[i] &= static_cast<std::uint8_t>(state.window().contains(load_le<std::uint64_t>(times + i * 8)));
      }
      for (std::uint64_t i = 0; i < tile.cells; ++i)
        if (mask[i]) finding.cells.push_back(static_cast<std::uint32_t>(i));
      finding.all = finding.cells.size() == tile.cells;
    });

    const std::uint64_t old = result.cell.size();
    std::uint64_t total = old;
    for (std::size_t k = 0; k < findings.size(); ++k) {
      total += findings[k].all ? result.tiles[begin + k].cells : findings[k].cells.size();
      result.first.push_back(total);
    }
    result.cell.resize(total);
    if (any_times) result.times.resize(total);
    for (Column& column : result.coordinates)
      if (!column.var()) column.data.resize(total * column.type.size);
    parallel_for(work, findings.size(), [&](std::size_t k) {
      const SparseTile& tile = result.tiles[begin + k];
      const Finding& finding = findings[k];
      const std::uint64_t at = result.first[begin + k], count = result.first[begin + k + 1] - at;
      for (std::uint64_t i = 0; i < count; ++i)
        result.cell[at + i] = finding.all ? static_cast<std::uint32_t>(i) : finding.cells[i];
      if (keep_coordinates)
        for (std::size_t d = 0; d < n; ++d)
          if (!result.coordinates[d].var())
            append_cells(result.coordinates[d], loaded[finding.first_part + d], finding, at);
      if (!any_times) return;
      if (needs_times(query, tile.fragment)) {
        const std::byte* times = loaded[finding.time_part].data.data();
        for (std::uint64_t i = 0; i < count; ++i)
          result.times[at + i] = load_le<std::uint64_t>(times + std::uint64_t{result.cell[at + i]} * 8);
      } else {
        std::fill_n(result.times.begin() + static_cast<std::ptrdiff_t>(at), count,
                    fragments[tile.fragment]->first_time());
      }
    });
    for (std::size_t d = 0; d < result.coordinates.size(); ++d)
      if (result.coordinates[d].var())
        for (const Finding& finding : findings)
          append_text(result.coordinates[d], loaded[finding.first_part + d], finding);
  }
  result.keep.assign(result.count(), 1);
  return result;
}

void hide_older(SparseCells& cells, std::span<const std::uint64_t> order, const ReadState& state, const Work& work) {
  // Candidates of the newest fragment come first among equals, so a later one wins only with a later time.
  std::vector<std::uint64_t> fragment_time;
  if (cells.times.empty()) {
    fragment_time.reserve(cells.tiles.size());
    for (const SparseTile& tile : cells.tiles)
      fragment_time.push_back(state.fragments(work)[tile.fragment]->first_time());
  }
  const auto time_of = [&](std::uint64_t candidate) {
    if (!cells.times.empty()) return cells.times[candidate];
    const auto tile = std::upper_bound(cells.first.begin(), cells.first.end(), candidate) - cells.first.begin() - 1;
    return fragment_time[static_cast<std::size_t>(tile)];
  };
  for (std::uint64_t begin = 0; begin < order.size();) {
    std::uint64_t end = begin + 1;
    while (end < order.size() && CellOrder::same_place(cells.coordinates, order[begin], order[end])) ++end;
    if (end - begin > 1) {
      std::uint64_t newest = order[begin];
      for (std::uint64_t i = begin + 1; i < end; ++i)
        if (time_of(order[i]) > time_of(newest)) newest = order[i];
      for (std::uint64_t i = begin; i < end; ++i) cells.keep[order[i]] = order[i] == newest;
    }
    begin = end;
  }
}

namespace {

Buffer<std::uint64_t> repeated(const SparseQuery& query, const SparseCells& cells, Buffer<std::uint64_t> order) {
  if (std::all_of(query.repeats.begin(), query.repeats.end(), [](const auto& lists) { return lists.empty(); }))
    return order;
  Buffer<std::uint64_t> more;
  for (const std::uint64_t candidate : order) {
    std::uint64_t times = 1;
    for (std::size_t d = 0; d < query.repeats.size(); ++d) {
      if (query.repeats[d].empty()) continue;
      const ByteView value = cells.coordinates[d].cell(candidate);
      times *= static_cast<std::uint64_t>(std::count_if(query.repeats[d].begin(), query.repeats[d].end(),
                                                        [&](const RangeList& list) { return list.contains(value); }));
    }
    more.insert(more.end(), times, candidate);
  }
  return more;
}

}  // namespace

Buffer<std::uint64_t> result_order(const SparseQuery& query, SparseCells& cells, const Work& work) {
  Buffer<std::uint64_t> order;
  if (query.sorts()) {
    const Order by = query.order == Order::row || query.order == Order::col ? query.order : Order::global;
    order = CellOrder(query.state->schema(), by).sort(cells.coordinates, work);
    if (query.deduplicates()) hide_older(cells, order, *query.state, work);
  } else {
    order.resize(cells.count());
    for (std::uint64_t i = 0; i < order.size(); ++i) order[i] = i;
  }
  apply_conditions(query, cells, work);
  std::erase_if(order, [&](std::uint64_t candidate) { return cells.keep[candidate] == 0; });
  return repeated(query, cells, std::move(order));
}

}  // namespace tegula::tiledb
