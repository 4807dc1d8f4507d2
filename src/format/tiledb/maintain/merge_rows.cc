#include "format/tiledb/maintain/merge_rows.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/endian.h"
#include "base/fail.h"
#include "base/parallel.h"
#include "base/trim_heap.h"
#include "format/tiledb/fragment/tile_fetch.h"
#include "format/tiledb/fragment/tile_source.h"
#include "format/tiledb/read/request.h"
#include "format/tiledb/read/tile_pruning.h"
#include "query/columns/gather.h"

namespace tegula::tiledb {

namespace {

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

}  // namespace

std::uint64_t MergeRows::bytes() const {
  std::uint64_t bytes = 0;
  for (const Column& column : columns) bytes += column.bytes();
  return bytes;
}

// A tile with all fields that a merge needs.
struct MergeInput::LoadedTile {
  const Source* source = nullptr;
  const Fragment* fragment = nullptr;
  std::uint64_t cells = 0;
  std::vector<TileData> data;                             // as source->loaded
  std::vector<std::uint64_t> times, deleted, deleted_by;  // the last two where cells were deleted

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

MergeInput::MergeInput(std::shared_ptr<const Snapshot> snapshot, const Work& work) : snapshot_(std::move(snapshot)) {
  const auto& fragments = snapshot_->fragments(work);
  sources_.resize(fragments.size());
  number_conditions(work);
  parallel_for(work, fragments.size(), [&](std::size_t f) {
    const Fragment& fragment = *fragments[f];
    Source& source = sources_[f];
    const auto want = [&](const StoredField* field) {
      if (field && std::find(source.loaded.begin(), source.loaded.end(), field) == source.loaded.end())
        source.loaded.push_back(field);
    };
    for (const FieldInfo& field : snapshot_->fields()) source.fields.push_back(stored_field(fragment, field));
    source.fields.push_back(fragment.has_timestamps() ? fragment.special(FieldKind::timestamps) : nullptr);
    source.fields.push_back(fragment.has_deletes() ? fragment.special(FieldKind::delete_times) : nullptr);
    source.fields.push_back(fragment.has_deletes() ? fragment.special(FieldKind::delete_condition) : nullptr);
    for (const StoredField* field : source.fields) want(field);
    for (const FragmentDelete& removal : source.deletes)
      for (const FieldInfo& field : removal.stays.fields()) want(stored_field(fragment, field));
  });
  std::vector<WantedPlaces> places;
  for (std::size_t f = 0; f < fragments.size(); ++f) places.push_back({fragments[f].get(), sources_[f].loaded});
  prefetch_tile_places(snapshot_->files(), places, work);
  tiles_ = find_tiles(*snapshot_, sparse_ranges(*snapshot_, ranges_of(*snapshot_, {})), work);
  std::stable_sort(tiles_.begin(), tiles_.end(),
                   [](const SparseTile& a, const SparseTile& b) { return a.fragment > b.fragment; });
}

void MergeInput::number_conditions(const Work& work) {
  const auto& fragments = snapshot_->fragments(work);
  const std::vector<TimedCondition>& conditions = snapshot_->conditions(work);
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
  const Fragment& fragment = *snapshot_->fragments({})[tile.fragment];
  std::uint64_t bytes = tile.cells * 8 * (has_deletes_ ? 3 : 1);
  const std::vector<StoredField const*>& fields = sources_[tile.fragment].fields;
  for (std::size_t i = 0; i < fields.size() - 3; ++i) {
    if (fields[i]) {
      bytes += decoded_bytes({&fragment, fields[i], tile.tile});
    } else {
      bytes += tile.cells * (snapshot_->schema().attributes[i].fill.size() + 9);
    }
  }
  return bytes;
}

MergeRows MergeInput::no_rows() const {
  MergeRows rows;
  for (const FieldInfo& field : snapshot_->fields()) rows.columns.push_back(empty_column(field));
  rows.columns.push_back(number_column(kTimestampsField));
  if (has_deletes_)
    for (const std::string_view name : {kDeleteTimesField, kDeleteConditionField})
      rows.columns.push_back(number_column(name));
  rows.attributes = snapshot_->schema().attributes.size();
  rows.dimensions = snapshot_->schema().dimensions.size();
  return rows;
}

// Sets the times of the cells, and which delete was the first to remove each.
void MergeInput::find_deletes(LoadedTile& tile) const {
  const Source& source = *tile.source;
  const std::size_t special = source.fields.size() - 3;
  tile.times = tile.numbers(source.fields[special], tile.fragment->first_time());
  if (!has_deletes_) return;
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

// A buffer that grows takes twice the memory for a moment, which would exceed the budget.
void MergeInput::reserve(std::span<const SparseTile> tiles, MergeRows& rows) const {
  std::uint64_t cells = 0;
  std::vector<std::uint64_t> variable(rows.columns.size(), 0);
  for (const SparseTile& tile : tiles) {
    const Fragment& fragment = *snapshot_->fragments({})[tile.fragment];
    cells += tile.cells;
    for (std::size_t c = 0; c < rows.special(); ++c) {
      if (!rows.columns[c].var()) continue;
      const StoredField* field = sources_[tile.fragment].fields[c];
      variable[c] += field ? fragment.raw_bytes(*field, Fragment::Data::var, tile.tile)
                           : tile.cells * snapshot_->schema().attributes[c].fill.size();
    }
  }
  for (std::size_t c = 0; c < rows.columns.size(); ++c) {
    Column& column = rows.columns[c];
    column.data.reserve(column.data.size() + (column.var() ? variable[c] : cells * column.cell_size()));
    if (column.var()) column.offsets.reserve(column.cells() + cells + 1);
    if (column.nullable) column.validity.reserve(column.validity.size() + cells);
  }
}

void MergeInput::append_column(std::size_t c, std::span<const LoadedTile> tiles, Column& to) const {
  const std::size_t special = snapshot_->fields().size();
  for (const LoadedTile& tile : tiles) {
    if (c >= special) {
      const std::vector<std::uint64_t>* all[] = {&tile.times, &tile.deleted, &tile.deleted_by};
      put_numbers(to, *all[c - special]);
      continue;
    }
    const StoredField* stored = tile.source->fields[c];
    if (!stored) {
      const SchemaAttribute& attribute = snapshot_->schema().attributes[c];
      append_fill(to, attribute.fill, attribute.fill_valid, tile.cells);
      continue;
    }
    const TileData& data = tile.part(stored);
    if (to.var()) {
      const std::uint64_t begin = data.offsets[0], start = to.data.size();
      for (std::uint64_t k = 1; k <= tile.cells; ++k) to.offsets.push_back(start + data.offsets[k] - begin);
      const ByteView some = ByteView(data.data).subspan(begin, data.offsets[tile.cells] - begin);
      to.data.insert(to.data.end(), some.begin(), some.end());
    } else {
      to.data.insert(to.data.end(), data.data.begin(), data.data.end());
    }
    if (to.nullable) {
      if (stored->nullable)
        to.validity.insert(to.validity.end(), data.validity.begin(), data.validity.end());
      else
        to.validity.insert(to.validity.end(), tile.cells, std::byte{1});
    }
  }
}

void MergeInput::append(std::span<const SparseTile> tiles, std::uint64_t slab, MergeRows& rows,
                        const Work& work) const {
  reserve(tiles, rows);
  std::size_t end = 0;
  for (std::size_t begin = 0; begin < tiles.size(); begin = end) {
    work.check();
    std::vector<TileRef> refs;
    std::uint64_t bytes = 0;
    for (; end < tiles.size(); ++end) {
      const SparseTile& tile = tiles[end];
      const Fragment* fragment = snapshot_->fragments({})[tile.fragment].get();
      std::uint64_t more = 24 * tile.cells;
      for (const StoredField* field : sources_[tile.fragment].loaded) {
        const TileRef ref{fragment, field, tile.tile};
        more += decoded_bytes(ref) + stored_bytes(ref);
      }
      if (end > begin && bytes + more > slab) break;
      bytes += more;
      for (const StoredField* field : sources_[tile.fragment].loaded) refs.push_back({fragment, field, tile.tile});
    }
    std::vector<TileData> data = load_in_file_order(snapshot_->files(), refs, work);
    std::vector<LoadedTile> loaded(end - begin);
    std::size_t part = 0;
    for (std::size_t k = 0; k < loaded.size(); ++k) {
      const SparseTile& tile = tiles[begin + k];
      loaded[k].source = &sources_[tile.fragment];
      loaded[k].fragment = snapshot_->fragments({})[tile.fragment].get();
      loaded[k].cells = tile.cells;
      for (std::size_t i = 0; i < loaded[k].source->loaded.size(); ++i)
        loaded[k].data.push_back(std::move(data[part++]));
    }
    parallel_for(work, loaded.size(), [&](std::size_t k) { find_deletes(loaded[k]); });
    parallel_for(work, rows.columns.size(), [&](std::size_t c) { append_column(c, loaded, rows.columns[c]); });
    loaded.clear();
    data.clear();
    trim_heap();
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
      // Of cells with equal times, that of the newest fragment counts.
      if (!versions.duplicates && i > begin && number(rows.times(), row) == number(rows.times(), order[i - 1]))
        continue;
      if (versions.purge && rows.delete_times() && number(*rows.delete_times(), row) != kNeverDeleted) {
        if (!versions.duplicates) break;  // nor does the cell that it replaced come back
        continue;
      }
      order[kept++] = row;
      if (!versions.all && !versions.duplicates) break;
    }
  }
  order.resize(kept);
}

}  // namespace tegula::tiledb
