#include "format/tiledb/pass_tiles.h"

#include <algorithm>
#include <array>

#include "base/fail.h"
#include "format/tiledb/array.h"
#include "format/tiledb/disk/versions.h"
#include "format/tiledb/fragment/tile_fetch.h"
#include "format/tiledb/fragment/tile_run.h"
#include "format/tiledb/read/deletes.h"
#include "format/tiledb/write/cell_tiles.h"

namespace tegula::tiledb {

namespace {

using Data = Fragment::Data;

constexpr std::array<Data, 3> kData = {Data::fixed, Data::var, Data::validity};
constexpr std::uint64_t kAtOnce = 8 << 20;  // bytes of a field; reading more at once is no faster

// Whether two versions lay out tiles alike, apart from the filters, which FilterPlan describes.
bool same_tiles(std::uint32_t a, std::uint32_t b) {
  constexpr bool (*kFacts[])(std::uint32_t) = {one_file_per_dimension,    zero_padding,      hilbert_by_range,
                                               whole_var_cells_in_chunks, rle_carries_ascii, dictionary_carries_ascii,
                                               rle_carries_utf8};
  return one_file_per_dimension(a) &&
         std::all_of(std::begin(kFacts), std::end(kFacts), [&](const auto& fact) { return fact(a) == fact(b); });
}

bool same_grid(const ArraySchema& a, const ArraySchema& b) {
  return a.sparse == b.sparse && a.tile_order == b.tile_order && a.cell_order == b.cell_order &&
         (!a.sparse || a.capacity == b.capacity) &&
         std::equal(a.dimensions.begin(), a.dimensions.end(), b.dimensions.begin(), b.dimensions.end(),
                    [](const SchemaDimension& x, const SchemaDimension& y) {
                      return x.type_code == y.type_code && x.values_per_cell == y.values_per_cell &&
                             x.domain == y.domain && x.extent == y.extent;
                    });
}

// Compression levels only matter to writers.
bool same_filters(const FilterPlan& a, const FilterPlan& b) {
  return !a.key && !b.key && a.cell_size == b.cell_size &&
         std::equal(a.steps.begin(), a.steps.end(), b.steps.begin(), b.steps.end(),
                    [](const PlanStep& x, const PlanStep& y) {
                      FilterStep filter = x.filter;
                      filter.level = y.filter.level;
                      return filter == y.filter && x.type == y.type && x.element_size == y.element_size;
                    });
}

// Whether a fragment has trustworthy statistics of everything that a new fragment stores about the field.
bool knows_statistics(const Fragment& fragment, const StoredField& field) {
  const StatisticsKind kind = statistics_kind(field);
  const Fragment::Trust trust = fragment.trust(field);
  const std::uint64_t tiles = fragment.tiles();
  const auto extremes = [&](const TileExtremes& all) {
    return all.present() && (field.var() || all.cell == field.cell_size());
  };
  if (kind.extremes && !(trust.extremes && extremes(fragment.mins(field.slot)) && extremes(fragment.maxs(field.slot))))
    return false;
  if (kind.sums && !(trust.sums && fragment.sums(field.slot).size() == tiles)) return false;
  return !kind.null_counts || (trust.null_counts && fragment.null_counts(field.slot).size() == tiles);
}

TileStatistics known_statistics(const Fragment& fragment, const StoredField& field, std::uint64_t tile,
                                std::uint64_t cells) {
  const StatisticsKind kind = statistics_kind(field);
  TileStatistics out;
  if (kind.null_counts) out.null_count = fragment.null_counts(field.slot)[tile];
  out.any = out.null_count < cells;
  if (kind.extremes) {
    out.min = copy_of(fragment.mins(field.slot).at(tile));
    out.max = copy_of(fragment.maxs(field.slot).at(tile));
  } else if (kind.sums) {  // of numbers whose extremes are not stored
    out.min.assign(field.type.size, std::byte{0});
    out.max = out.min;
  }
  if (kind.sums) out.sum = fragment.sums(field.slot)[tile];
  return out;
}

}  // namespace

// A run of tiles in the target: either consecutive tiles of one source fragment, or tiles whose cells together form a
// box.
struct TilePass::RunOfTiles {
  std::optional<std::uint32_t> fragment;
  std::uint64_t first = 0;                    // the first tile in the fragment
  std::vector<std::uint64_t> cells;           // by tile, without padding
  std::vector<std::vector<CellRun>> counted;  // by tile: the cells that are not padding; empty: all
  DenseBox box;
};

TilePass::TilePass(const TiledbArray& from, std::vector<std::string> fields, TiledbArray& to, const Work& work)
    : snapshot_(from.snapshot()),
      fields_(std::move(fields)),
      to_(to),
      target_(to.target()),
      version_(written_version(*target_.schema)),
      to_fields_(stored_fields(*target_.schema, {.version = version_, .dense = !target_.schema->sparse}, "")),
      planner_(target_.schema->sparse || snapshot_->schema().sparse ? nullptr : &snapshot_->planner(work)),
      fits_(snapshot_->fragments(work).size()) {}

std::unique_ptr<TilePass> TilePass::between(const Array& from, std::vector<std::string> fields, Array& to,
                                            const Work& work) {
  const auto* source = dynamic_cast<const TiledbArray*>(&from);
  auto* target = dynamic_cast<TiledbArray*>(&to);
  if (!source || !target || !source->options().key.empty() || !target->options().key.empty()) return nullptr;
  std::unique_ptr<TilePass> pass(new TilePass(*source, std::move(fields), *target, work));
  if (pass->fields_.size() != pass->target_.schema->attributes.size()) return nullptr;
  if (pass->snapshot_->schema().sparse) return pass->whole_cells(work) ? std::move(pass) : nullptr;
  for (std::uint32_t i = 0; i < pass->fits_.size(); ++i)
    if (pass->fit(i)) return pass;
  return nullptr;
}

const TilePass::Fit& TilePass::fit(std::uint32_t fragment) const {
  std::optional<Fit>& known = fits_[fragment];
  if (!known) known = make_fit(*snapshot_->fragments({})[fragment]);
  return *known;
}

TilePass::Fit TilePass::make_fit(const Fragment& fragment) const {
  if (fragment.tiles() == 0 || fragment.dense() != !target_.schema->sparse ||
      !same_tiles(fragment.version(), version_) || !same_grid(fragment.schema(), *target_.schema))
    return std::nullopt;
  std::vector<FieldPair> pairs;
  std::vector<WantedPart> wanted;
  for (const StoredField& field : to_fields_) {
    const bool dimension = field.kind == FieldKind::dimension;
    const auto old =
        std::find_if(fragment.fields().begin(), fragment.fields().end(), [&](const StoredField& candidate) {
          return candidate.kind == field.kind &&
                 (dimension ? candidate.index == field.index : candidate.name == fields_[field.index]);
        });
    if (old == fragment.fields().end() || old->type_code != field.type_code ||
        old->values_per_cell != field.values_per_cell || old->nullable != field.nullable)
      return std::nullopt;
    for (const Data data : kData)
      if (has_part(field, data, TileParts::all) &&
          !same_filters(fragment.plan(*old, data),
                        field_plan(*target_.schema, field, data, {.version = version_, .writer = version_}, nullptr)))
        return std::nullopt;
    pairs.push_back({&*old, false});
    for (const FragmentPart part : {FragmentPart::tile_offsets, FragmentPart::mins, FragmentPart::maxs,
                                    FragmentPart::sums, FragmentPart::null_counts})
      if (part == FragmentPart::tile_offsets || has_tile_statistics(fragment.version()))
        wanted.push_back({part, old->slot});
  }
  fragment.prefetch(wanted);
  stored_tiles(fragment);
  for (FieldPair& pair : pairs)
    pair.statistics = !has_tile_statistics(version_) || knows_statistics(fragment, *pair.from);
  return pairs;
}

bool TilePass::whole_cells(const Work& work) const {
  if (!target_.schema->sparse || fits_.size() != 1) return false;
  const Fragment& fragment = *snapshot_->fragments(work)[0];
  return !fragment.has_timestamps() && !fragment.has_deletes() &&
         deletes_of(fragment, snapshot_->conditions(work)).empty() && fit(0);
}

// The tile of a fragment that holds exactly the cells of `part`, a part of a space tile; no value when there is none.
std::optional<std::uint64_t> TilePass::place_of(const Coordinates& tile, const DenseBox& part,
                                                std::uint32_t& fragment) const {
  const DenseGrid& grid = snapshot_->grid();
  Coordinates last = part.first;
  for (std::size_t d = 0; d < last.size(); ++d) last[d] += part.count[d] - 1;
  const std::optional<std::uint32_t> source = planner_->sole_source(part.first, last);
  if (!source || !fit(*source)) return std::nullopt;
  const Fragment& found = *snapshot_->fragments({})[*source];
  const bool whole = part.cells() == grid.tile_cells;
  for (std::size_t d = 0; d < last.size() && !whole; ++d) {
    const std::uint64_t begin = tile[d] * grid.extent[d];
    const std::uint64_t low = *grid.index(d, found.domain()[d].low), high = *grid.index(d, found.domain()[d].high);
    if (std::max(begin, low) != part.first[d] || std::min(begin + (grid.extent[d] - 1), high) != last[d])
      return std::nullopt;
  }
  fragment = *source;
  return planner_->tile_number(*source, tile);
}

std::uint64_t TilePass::copy_box(const Coordinates& first, const Coordinates& count, const BoxReader& read,
                                 const Work& work) {
  const DenseGrid& grid = snapshot_->grid();
  const std::size_t n = grid.dimensions();
  const DenseBox box = box_of(*target_.schema, first, count);
  Work quiet = work;
  quiet.progress = nullptr;
  std::uint64_t cell_bytes = 0;
  for (const StoredField& field : to_fields_) cell_bytes += std::max<std::uint64_t>(16, field.cell_size());
  const std::uint64_t at_once =
      std::max<std::uint64_t>(1, work.memory / 8 / cell_bytes / std::max<std::uint64_t>(1, grid.tile_cells));
  FragmentWriter writer(target_, true, now_ms());
  std::uint64_t passed = 0;
  RunOfTiles run;
  const auto flush = [&] {
    if (run.cells.empty()) return;
    work.check();
    if (run.fragment)
      passed += pass(writer, run, quiet);
    else
      add_dense_tiles(writer, *target_.schema, run.box, read(run.box.first, run.box.count), Order::global, quiet);
    run = {};
  };
  const BoxTiles tiles(grid, box);
  const std::size_t slowest = tiles.slowest(), line = tiles.fastest();
  std::uint64_t row = 0, rows = 0;  // layer of tiles along the slowest dimension, and its cells along it
  for (std::uint64_t t = 0; t < tiles.tiles(); ++t) {
    const BoxPart at = tiles.part(t);
    const DenseBox part = tiles.box_of(at);
    if (rows == 0 || row != at.tile[slowest]) {
      if (work.progress && rows > 0) work.progress->advance(rows);
      row = at.tile[slowest];
      rows = part.count[slowest];
    }
    std::uint32_t fragment = 0;
    const std::optional<std::uint64_t> place = place_of(at.tile, part, fragment);
    bool goes_on = !run.cells.empty() && place.has_value() == run.fragment.has_value();
    if (goes_on && place) {
      goes_on = fragment == *run.fragment && *place == run.first + run.cells.size();
    } else if (goes_on) {
      goes_on = run.cells.size() < at_once && part.first[line] == run.box.first[line] + run.box.count[line];
      for (std::size_t d = 0; d < n && goes_on; ++d) goes_on = d == line || part.first[d] == run.box.first[d];
    }
    if (!goes_on) {
      flush();
      if (place) run.fragment = fragment;
      run.first = place.value_or(0);
      run.box = part;
    } else {
      run.box.count[line] += part.count[line];
    }
    run.cells.push_back(part.cells());
    run.counted.push_back(part.cells() == grid.tile_cells ? std::vector<CellRun>() : tiles.runs(at));
  }
  flush();
  if (work.progress) work.progress->advance(rows);
  writer.commit(dense_cover(*target_.schema, box));
  to_.changed();
  return passed;
}

std::uint64_t TilePass::tiles() const { return snapshot_->fragments({})[0]->tiles(); }

std::uint64_t TilePass::copy_tiles(std::uint64_t first, std::uint64_t count, const Work& work) {
  const Fragment& fragment = *snapshot_->fragments(work)[0];
  const MbrTable& rectangles = fragment.rtree().leaves();
  if (first + count > fragment.tiles() || rectangles.count() != fragment.tiles())
    fail(ErrorKind::corrupt, "fragment {}: rectangles of {} tiles, and it has {}", fragment.name(), rectangles.count(),
         fragment.tiles());
  FragmentWriter writer(target_, false, now_ms());
  RunOfTiles run;
  run.fragment = 0;
  run.first = first;
  MbrTable copied(target_.schema->range_types());
  for (std::uint64_t tile = first; tile < first + count; ++tile) {
    run.cells.push_back(fragment.cells(tile));
    run.counted.emplace_back();
    copied.add_hull(rectangles, tile, tile + 1);
  }
  Work quiet = work;
  quiet.progress = nullptr;
  const std::uint64_t passed = pass(writer, run, quiet);
  writer.commit(cover_of(std::move(copied), *target_.schema, run.cells.back()));
  to_.changed();
  return passed;
}

std::uint64_t TilePass::pass(FragmentWriter& writer, const RunOfTiles& run, const Work& work) const {
  const Fragment& fragment = *snapshot_->fragments({})[*run.fragment];
  const std::vector<FieldPair>& pairs = *fit(*run.fragment);
  const std::uint64_t budget = std::clamp<std::uint64_t>(work.memory / 4 / pairs.size(), 1, kAtOnce);  // of every field
  std::size_t done = 0;
  while (done < run.cells.size()) {
    work.check();
    std::size_t count = 0;
    std::vector<std::uint64_t> bytes(pairs.size(), 0);
    for (bool more = true; more && done + count < run.cells.size(); count += more) {
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        const TileRef ref{&fragment, pairs[i].from, run.first + done + count};
        bytes[i] += pairs[i].statistics && run.counted[done + count].empty() ? stored_bytes(ref) : decoded_bytes(ref);
        more = more && (count == 0 || bytes[i] <= budget);
      }
    }
    writer.add_stored(
        count, [&](std::size_t field, StoredTiles& out) { take(fragment, pairs[field], run, done, count, out, work); },
        work);
    done += count;
  }
  return run.cells.size() * pairs.size();
}

void TilePass::take(const Fragment& fragment, const FieldPair& pair, const RunOfTiles& run, std::size_t at,
                    std::size_t count, StoredTiles& out, const Work& work) const {
  const StoredField& field = *pair.from;
  const std::uint64_t first = run.first + at;
  std::vector<std::string> keys;
  std::vector<RangeRead> reads;
  keys.reserve(kData.size());
  for (const Data data : kData) {
    if (!has_part(field, data, TileParts::all)) continue;
    StoredTiles::Part& part = data == Data::fixed ? out.data : data == Data::var ? out.var : out.validity;
    const std::uint64_t begin = fragment.stored(field, data, first).begin;
    for (std::size_t i = 0; i < count; ++i) part.ends.push_back(fragment.stored(field, data, first + i).end - begin);
    keys.push_back(fragment.file(field, data));
    check_file_size(*snapshot_->files().store, keys.back(), begin, begin + part.ends.back());
    part.bytes.resize(part.ends.back());
    reads.push_back({keys.back(), begin, part.bytes});
  }
  fetch_ranges(*snapshot_->files().store, reads);
  if (field.var())
    for (std::size_t i = 0; i < count; ++i) out.var_sizes.push_back(fragment.raw_bytes(field, Data::var, first + i));
  out.statistics.resize(count);
  if (!has_tile_statistics(version_)) return;
  // Stored statistics may include the padding of a tile: such tiles get new ones.
  std::vector<TileRef> refs;
  std::vector<std::size_t> made;
  for (std::size_t i = 0; i < count; ++i) {
    if (pair.statistics && run.counted[at + i].empty()) {
      out.statistics[i] = known_statistics(fragment, field, first + i, run.cells[at + i]);
    } else {
      refs.push_back({&fragment, &field, first + i});
      made.push_back(i);
    }
  }
  std::vector<TileData> tiles = load_tiles(snapshot_->files(), refs, work);
  for (std::size_t k = 0; k < made.size(); ++k) {
    TileColumn column;
    column.data = std::move(tiles[k].data);
    column.offsets = std::move(tiles[k].offsets);
    if (field.var()) column.offsets.pop_back();
    column.validity = std::move(tiles[k].validity);
    column.counted = run.counted[at + made[k]];
    out.statistics[made[k]] = tile_statistics(field, column);
  }
}

}  // namespace tegula::tiledb
