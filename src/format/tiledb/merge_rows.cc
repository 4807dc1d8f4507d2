#include "format/tiledb/merge_rows.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/endian.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "format/tiledb/query_parts.h"
#include "format/tiledb/tile_source.h"
#include "query/gather.h"

namespace tegula::tiledb {

namespace {

// Keys, places in the order and the copies that sorting makes of them.
constexpr std::uint64_t kSortBytes = 72;

Column number_column(std::string_view name) {
  return empty_column({std::string(name), TypeId::uint64, 1, false, false, nullptr});
}

void put_numbers(Column& column, std::span<const std::uint64_t> numbers) {
  ByteWriter out(column.data);
  for (const std::uint64_t number : numbers) out.put(number);
}

std::uint64_t number(const Column& column, std::uint64_t row) {
  return load_le<std::uint64_t>(column.data.data() + row * 8);
}

// The cells of a tile in a range, found by sorting the ends of the range in among them. That does without the order
// that the cells have in the tile: fragments of old versions follow another Hilbert curve.
std::vector<std::uint64_t> cells_in(const ArraySchema& schema, std::vector<Column> coordinates,
                                    const PlaceRange& range) {
  const std::uint64_t cells = coordinates[0].cells();
  for (std::size_t d = 0; d < coordinates.size(); ++d)
    for (const std::optional<std::uint64_t>& end : {range.after, range.upto})
      if (end) append(coordinates[d], (*range.places)[d], *end, 1);
  Work alone;
  alone.threads = 1;
  const Buffer<std::uint64_t> order = CellOrder(schema, Order::global).sort(coordinates, alone);
  std::vector<std::uint64_t> found;
  bool inside = !range.after;
  for (const std::uint64_t row : order) {
    if (row < cells) {
      if (inside) found.push_back(row);
    } else if (range.after && row == cells) {
      inside = true;
    } else {
      break;
    }
  }
  return found;
}

}  // namespace

std::uint64_t MergeRows::bytes() const {
  std::uint64_t bytes = 0;
  for (const Column& column : columns) bytes += column.bytes();
  return bytes;
}

// A tile with everything that is taken from it.
struct MergeInput::LoadedTile {
  const Source* source = nullptr;
  const Fragment* fragment = nullptr;
  std::uint64_t cells = 0;
  std::vector<TileData> data;  // as source->loaded
  bool whole = true;
  std::vector<std::uint64_t> picked;                      // the cells taken of a tile that is not whole
  std::vector<std::uint64_t> times, deleted, deleted_by;  // of all cells

  const TileData& part(const StoredField* field) const {
    return data[static_cast<std::size_t>(std::find(source->loaded.begin(), source->loaded.end(), field) -
                                         source->loaded.begin())];
  }
  std::vector<std::uint64_t> numbers(const StoredField* field, std::uint64_t otherwise) const {
    std::vector<std::uint64_t> values(cells, otherwise);
    if (field)
      for (std::uint64_t i = 0; i < cells; ++i) values[i] = load_le<std::uint64_t>(part(field).data.data() + i * 8);
    return values;
  }
};

MergeInput::MergeInput(std::shared_ptr<const ReadState> state, const Work& work) : state_(std::move(state)) {
  const auto& fragments = state_->fragments(work);
  sources_.resize(fragments.size());
  number_conditions(work);
  parallel_for(work, fragments.size(), [&](std::size_t f) {
    const Fragment& fragment = *fragments[f];
    Source& source = sources_[f];
    const auto want = [&](const StoredField* field) {
      if (field && std::find(source.loaded.begin(), source.loaded.end(), field) == source.loaded.end())
        source.loaded.push_back(field);
    };
    for (const FieldInfo& field : state_->fields()) source.fields.push_back(stored_field(fragment, field));
    source.fields.push_back(fragment.has_timestamps() ? fragment.special(FieldKind::timestamps) : nullptr);
    source.fields.push_back(fragment.has_deletes() ? fragment.special(FieldKind::delete_times) : nullptr);
    source.fields.push_back(fragment.has_deletes() ? fragment.special(FieldKind::delete_condition) : nullptr);
    for (const StoredField* field : source.fields) want(field);
    for (const FragmentDelete& removal : source.deletes)
      for (const FieldInfo& field : removal.stays.fields()) want(stored_field(fragment, field));
    prefetch(fragment, source.loaded);
  });
  tiles_ = find_tiles(*state_, sparse_ranges(*state_, ranges_of(*state_, {})), work);
  std::stable_sort(tiles_.begin(), tiles_.end(),
                   [](const SparseTile& a, const SparseTile& b) { return a.fragment > b.fragment; });
}

void MergeInput::number_conditions(const Work& work) {
  const auto& fragments = state_->fragments(work);
  const std::vector<TimedCondition>& conditions = state_->conditions(work);
  for (const auto& fragment : fragments) has_deletes_ = has_deletes_ || fragment->has_deletes();
  if (conditions.empty() && !has_deletes_) return;
  parallel_for(work, fragments.size(), [&](std::size_t f) { fragments[f]->processed_conditions(); });
  std::set<std::pair<std::uint64_t, std::string>> all;
  for (const TimedCondition& condition : conditions) all.emplace(condition.time, condition.marker);
  for (std::size_t f = 0; f < fragments.size(); ++f)
    for (const std::string& marker : fragments[f]->processed_conditions()) {
      const std::optional<TimedName> time = parse_timed_name(std::string_view(marker).substr(marker.rfind('/') + 1));
      all.emplace(time ? time->first : 0, marker);
    }
  std::map<std::string_view, std::uint64_t> numbers;
  for (const auto& [time, marker] : all) {
    numbers.emplace(marker, processed_.size());
    processed_.push_back(marker);
  }
  for (std::size_t f = 0; f < fragments.size(); ++f) {
    const Fragment& fragment = *fragments[f];
    Source& source = sources_[f];
    for (const std::string& marker : fragment.processed_conditions()) source.renumbered.push_back(numbers.at(marker));
    source.deletes = deletes_of(fragment, conditions);
    for (const FragmentDelete& removal : source.deletes) source.delete_numbers.push_back(numbers.at(removal.marker));
    has_deletes_ = has_deletes_ || !source.deletes.empty();
  }
}

std::uint64_t MergeInput::bytes(const SparseTile& tile) const {
  const Fragment& fragment = *state_->fragments({})[tile.fragment];
  std::uint64_t bytes = tile.cells * (kSortBytes + 24);
  const std::vector<StoredField const*>& fields = sources_[tile.fragment].fields;
  for (std::size_t i = 0; i < fields.size() - 3; ++i) {
    if (fields[i]) {
      bytes += decoded_bytes({&fragment, fields[i], tile.tile});
    } else {
      bytes += tile.cells * (state_->schema().attributes[i].fill.size() + 9);
    }
  }
  return bytes;
}

MergeRows MergeInput::no_rows() const {
  MergeRows rows;
  for (const FieldInfo& field : state_->fields()) rows.columns.push_back(empty_column(field));
  for (const std::string_view name : {kTimestampsField, kDeleteTimesField, kDeleteConditionField})
    rows.columns.push_back(number_column(name));
  rows.attributes = state_->schema().attributes.size();
  return rows;
}

std::vector<std::vector<Column>> MergeInput::coordinates(std::span<const SparseTile> tiles, const Work& work) const {
  const std::size_t n = state_->schema().dimensions.size(), first = state_->schema().attributes.size();
  std::vector<TileRef> refs;
  for (const SparseTile& tile : tiles)
    for (std::size_t d = 0; d < n; ++d)
      refs.push_back(
          {state_->fragments({})[tile.fragment].get(), sources_[tile.fragment].fields[first + d], tile.tile});
  std::vector<TileData> loaded = load_in_file_order(state_->files(), refs, work);
  std::vector<std::vector<Column>> coordinates(tiles.size());
  for (std::size_t i = 0; i < loaded.size(); ++i) {
    Column& column = coordinates[i / n].emplace_back(empty_column(state_->fields()[first + i % n]));
    column.data = std::move(loaded[i].data);
    if (column.var()) column.offsets = std::move(loaded[i].offsets);
  }
  return coordinates;
}

// Times of the cells, and which delete was the first to take each.
void MergeInput::find_deletes(LoadedTile& tile) const {
  const Source& source = *tile.source;
  const std::size_t special = source.fields.size() - 3;
  tile.times = tile.numbers(source.fields[special], tile.fragment->first_time());
  tile.deleted = tile.numbers(source.fields[special + 1], kNeverDeleted);
  tile.deleted_by = tile.numbers(source.fields[special + 2], kNeverDeleted);
  for (std::uint64_t& by : tile.deleted_by) {
    if (by == kNeverDeleted) continue;
    if (by >= source.renumbered.size())
      fail(ErrorKind::corrupt, "fragment {}: a cell was deleted by condition {}, and {} are listed",
           tile.fragment->name(), by, source.renumbered.size());
    by = source.renumbered[by];
  }
  std::vector<std::uint8_t> stays(source.deletes.empty() ? 0 : tile.cells);
  for (std::size_t k = 0; k < source.deletes.size(); ++k) {
    const FragmentDelete& removal = source.deletes[k];
    std::vector<ColumnView> views;
    for (const FieldInfo& field : removal.stays.fields()) {
      const StoredField* stored = stored_field(*tile.fragment, field);
      if (!stored) {
        views.push_back(ColumnView::missing());
        continue;
      }
      const TileData& data = tile.part(stored);
      views.emplace_back(data.data.data(), stored->var() ? data.offsets.data() : nullptr,
                         stored->nullable ? data.validity.data() : nullptr);
    }
    removal.stays.evaluate(views, 0, stays);
    for (std::uint64_t i = 0; i < tile.cells; ++i) {
      if (stays[i] || (removal.by_time && tile.times[i] > removal.time) || removal.time >= tile.deleted[i]) continue;
      tile.deleted[i] = removal.time;
      tile.deleted_by[i] = source.delete_numbers[k];
    }
  }
}

// A buffer that grows is there twice for a moment, which would be too much.
void MergeInput::reserve(std::span<const MergeTile> tiles, MergeRows& rows) const {
  const auto with_slack = [](double expected) { return static_cast<std::size_t>(expected * 1.125) + 64; };
  double cells = 0;
  std::vector<double> variable(rows.columns.size(), 0);
  for (const MergeTile& tile : tiles) {
    const Fragment& fragment = *state_->fragments({})[tile.tile.fragment];
    const double share = 1 / static_cast<double>(tile.parts);
    cells += share * static_cast<double>(tile.tile.cells);
    for (std::size_t c = 0; c < variable.size(); ++c)
      if (const StoredField* field = sources_[tile.tile.fragment].fields[c]; field && field->var())
        variable[c] += share * static_cast<double>(fragment.raw_bytes(*field, Fragment::Data::var, tile.tile.tile));
  }
  for (std::size_t c = 0; c < rows.columns.size(); ++c) {
    Column& column = rows.columns[c];
    const double bytes = column.var() ? variable[c] : cells * static_cast<double>(column.cell_size());
    column.data.reserve(column.data.size() + with_slack(bytes));
    if (column.var()) column.offsets.reserve(column.offsets.size() + with_slack(cells));
    if (column.nullable) column.validity.reserve(column.validity.size() + with_slack(cells));
  }
}

void MergeInput::append_column(std::size_t c, std::span<const LoadedTile> tiles, Column& to) const {
  const std::size_t special = state_->fields().size();
  for (const LoadedTile& tile : tiles) {
    const std::uint64_t count = tile.whole ? tile.cells : tile.picked.size();
    if (c >= special) {
      const std::vector<std::uint64_t>* all[] = {&tile.times, &tile.deleted, &tile.deleted_by};
      const std::vector<std::uint64_t>& numbers = *all[c - special];
      if (tile.whole) {
        put_numbers(to, numbers);
      } else {
        ByteWriter out(to.data);
        for (const std::uint64_t cell : tile.picked) out.put(numbers[cell]);
      }
      continue;
    }
    const StoredField* stored = tile.source->fields[c];
    if (!stored) {
      const SchemaAttribute& attribute = state_->schema().attributes[c];
      append_fill(to, attribute.fill, attribute.fill_valid, count);
      continue;
    }
    const TileData& data = tile.part(stored);
    const ByteView bytes = data.data;
    const std::uint64_t size = to.cell_size();
    for (std::uint64_t i = 0; i < count;) {
      // Neighbours are copied together.
      const std::uint64_t first = tile.whole ? 0 : tile.picked[i];
      std::uint64_t n = tile.whole ? count : 1;
      while (!tile.whole && i + n < count && tile.picked[i + n] == first + n) ++n;
      if (to.var()) {
        const std::uint64_t begin = data.offsets[first], start = to.data.size();
        for (std::uint64_t k = 1; k <= n; ++k) to.offsets.push_back(start + data.offsets[first + k] - begin);
        const ByteView some = bytes.subspan(begin, data.offsets[first + n] - begin);
        to.data.insert(to.data.end(), some.begin(), some.end());
      } else {
        const ByteView some = bytes.subspan(first * size, n * size);
        to.data.insert(to.data.end(), some.begin(), some.end());
      }
      if (to.nullable) {
        if (stored->nullable)
          to.validity.insert(to.validity.end(), data.validity.begin() + static_cast<std::ptrdiff_t>(first),
                             data.validity.begin() + static_cast<std::ptrdiff_t>(first + n));
        else
          to.validity.insert(to.validity.end(), n, std::byte{1});
      }
      i += n;
    }
  }
}

void MergeInput::append(std::span<const MergeTile> tiles, const PlaceRange& range, std::uint64_t slab, MergeRows& rows,
                        const Work& work) const {
  const std::size_t dimensions = state_->schema().dimensions.size(), first_dimension = rows.attributes;
  reserve(tiles, rows);
  std::size_t end = 0;
  for (std::size_t begin = 0; begin < tiles.size(); begin = end) {
    work.check();
    std::vector<TileRef> refs;
    std::uint64_t bytes = 0;
    for (; end < tiles.size(); ++end) {
      const SparseTile& tile = tiles[end].tile;
      const Fragment* fragment = state_->fragments({})[tile.fragment].get();
      std::uint64_t more = 24 * tile.cells;
      for (const StoredField* field : sources_[tile.fragment].loaded) {
        const TileRef ref{fragment, field, tile.tile};
        more += decoded_bytes(ref) + stored_bytes(ref);
      }
      if (end > begin && bytes + more > slab) break;
      bytes += more;
      for (const StoredField* field : sources_[tile.fragment].loaded) refs.push_back({fragment, field, tile.tile});
    }
    std::vector<TileData> data = load_in_file_order(state_->files(), refs, work);
    std::vector<LoadedTile> loaded(end - begin);
    std::size_t part = 0;
    for (std::size_t k = 0; k < loaded.size(); ++k) {
      const MergeTile& tile = tiles[begin + k];
      loaded[k].source = &sources_[tile.tile.fragment];
      loaded[k].fragment = state_->fragments({})[tile.tile.fragment].get();
      loaded[k].cells = tile.tile.cells;
      loaded[k].whole = tile.parts == 1;
      for (std::size_t i = 0; i < loaded[k].source->loaded.size(); ++i)
        loaded[k].data.push_back(std::move(data[part++]));
    }
    parallel_for(work, loaded.size(), [&](std::size_t k) {
      LoadedTile& tile = loaded[k];
      find_deletes(tile);
      if (tile.whole) return;
      std::vector<Column> coordinates;
      for (std::size_t d = 0; d < dimensions; ++d) {
        const TileData& values = tile.part(tile.source->fields[first_dimension + d]);
        Column& column = coordinates.emplace_back(empty_column(state_->fields()[first_dimension + d]));
        column.data = values.data;
        if (column.var()) column.offsets = values.offsets;
      }
      tile.picked = cells_in(state_->schema(), std::move(coordinates), range);
    });
    parallel_for(work, rows.columns.size(), [&](std::size_t c) { append_column(c, loaded, rows.columns[c]); });
    loaded.clear();
    data.clear();
    if (end < tiles.size()) release_free_memory();
  }
}

void resolve_versions(const MergeRows& rows, const Versions& versions, Buffer<std::uint64_t>& order) {
  const std::span<const Column> places = rows.coordinates();
  std::uint64_t kept = 0;
  std::uint64_t end = 0;
  for (std::uint64_t begin = 0; begin < order.size(); begin = end) {
    for (end = begin + 1; end < order.size() && CellOrder::same_place(places, order[begin], order[end]);) ++end;
    if (end - begin > 1)
      std::stable_sort(
          order.begin() + static_cast<std::ptrdiff_t>(begin), order.begin() + static_cast<std::ptrdiff_t>(end),
          [&](std::uint64_t a, std::uint64_t b) { return number(rows.times(), a) > number(rows.times(), b); });
    for (std::uint64_t i = begin; i < end; ++i) {
      const std::uint64_t row = order[i];
      // Of cells of one time, that of the newest fragment counts.
      if (!versions.duplicates && i > begin && number(rows.times(), row) == number(rows.times(), order[i - 1]))
        continue;
      if (versions.purge && number(rows.delete_times(), row) != kNeverDeleted) {
        if (!versions.duplicates) break;  // nor does what it had replaced come back
        continue;
      }
      order[kept++] = row;
      if (!versions.all && !versions.duplicates) break;
    }
  }
  order.resize(kept);
}

}  // namespace tegula::tiledb
