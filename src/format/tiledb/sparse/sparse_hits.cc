#include "format/tiledb/sparse/sparse_hits.h"

#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "format/tiledb/fragment/tile_fetch.h"
#include "format/tiledb/fragment/tile_run.h"
#include "format/tiledb/read/tile_pruning.h"
#include "format/tiledb/sparse/cell_test.h"
#include "format/tiledb/sparse/pick_cells.h"

namespace tegula::tiledb {

namespace {

// Whether some cells of the fragment may lie outside of the window of time.
bool partly_visible(const Fragment& fragment, const TimeWindow& window) {
  return fragment.has_timestamps() && !window.contains(fragment.first_time(), fragment.last_time());
}

// What decides which cells of a tile are hits.
struct TileSearch {
  bool none = false;  // no cell can be a hit
  bool by_range = false, by_curve = false, by_time = false;
  TileTest test;
  const StoredField* times = nullptr;
  bool any() const { return by_range || by_curve || by_time || test.any(); }
};

class HitFinder {
 public:
  HitFinder(const SparseQuery& query, const RangeSet& ranges, const CurveRange& curve, const HitOptions& options,
            const Work& work, SparseHits& out)
      : query_(query),
        ranges_(ranges),
        curve_(curve),
        options_(options),
        work_(work),
        out_(out),
        snapshot_(*query.snapshot) {}

  void run() {
    const std::size_t n = out_.tiles.size();
    out_.hits.resize(n);
    searches_.resize(n);
    for (const FieldInfo& field : options_.keep) out_.kept.push_back({field.name, std::vector<TileData>(n)});
    parallel_for(work_, n, [&](std::size_t t) { plan(t); });

    std::vector<TileJob> jobs;
    std::vector<std::size_t> tile_of;
    for (std::size_t t = 0; t < n; ++t) {
      TileHits& hits = out_.hits[t];
      if (searches_[t].none) continue;
      hits.count = out_.tiles[t].cells;
      hits.all = true;
      if (!searches_[t].any() && !searches_[t].times) continue;
      jobs.push_back({&fragment(t), out_.tiles[t].tile, fields_of(t)});
      tile_of.push_back(t);
    }
    prefetch_tile_places(snapshot_.files(), jobs, work_);
    times_.resize(options_.times ? n : 0);
    for_each_tile(snapshot_.files(), jobs, work_,
                  [&](std::size_t i, std::span<const TileData> tiles) { search(tile_of[i], {jobs[i].fields, tiles}); });
    std::uint64_t sum = 0;
    for (TileHits& hits : out_.hits) {
      hits.first = sum;
      sum += hits.count;
    }
    join_times();
  }

 private:
  const Fragment& fragment(std::size_t t) const { return *snapshot_.fragments(work_)[out_.tiles[t].fragment]; }

  void plan(std::size_t t) {
    TileSearch& search = searches_[t];
    search.by_range = out_.tiles[t].overlap != Overlap::all;
    search.by_curve = curve_.curve != nullptr;
    search.by_time = partly_visible(fragment(t), snapshot_.window());
    if (options_.conditions) {
      std::optional<TileTest> test = plan_test(query_, out_.tiles[t]);
      search.none = !test;
      if (test) search.test = std::move(*test);
    }
    if (fragment(t).has_timestamps() && (search.by_time || options_.times || search.test.by_time()))
      search.times = fragment(t).special(FieldKind::timestamps);
  }

  std::vector<const StoredField*> fields_of(std::size_t t) const {
    const TileSearch& search = searches_[t];
    std::vector<const StoredField*> fields;
    for (std::size_t d = 0; d < ranges_.size(); ++d)
      if (search.by_curve || (search.by_range && !ranges_[d].whole())) want(fields, dimension(t, d));
    want(fields, search.times);
    for (const StoredField* field : search.test.fields) want(fields, field);
    return fields;
  }

  const StoredField* dimension(std::size_t t, std::size_t d) const {
    return fragment(t).field(fragment(t).schema().dimensions[d].name);
  }

  void search(std::size_t t, const LoadedFields& loaded) {
    const TileSearch& search = searches_[t];
    const std::uint64_t cells = out_.tiles[t].cells;
    TileHits& hits = out_.hits[t];
    Buffer<std::uint64_t> times;
    if (search.times) {
      times.resize(cells);
      const std::byte* data = loaded.of(search.times).data.data();
      for (std::uint64_t i = 0; i < cells; ++i) times[i] = load_le<std::uint64_t>(data + i * 8);
    }
    if (search.any()) {
      std::vector<std::uint8_t> mask(cells, 1);
      if (search.by_range)
        for (std::size_t d = 0; d < ranges_.size(); ++d)
          if (!ranges_[d].whole()) {
            const TileData& tile = loaded.of(dimension(t, d));
            ranges_[d].filter({tile.data.data(), tile.offsets.data()}, mask);
          }
      if (search.by_curve) follow_curve(t, loaded, mask);
      if (search.by_time)
        for (std::uint64_t i = 0; i < cells; ++i)
          mask[i] &= static_cast<std::uint8_t>(snapshot_.window().contains(times[i]));
      if (search.test.any()) run_test(query_, out_.tiles[t], search.test, loaded, times.data(), mask);
      collect(mask, hits);
    }
    if (options_.times && !times.empty() && hits.count > 0) {
      Buffer<std::uint64_t>& kept = times_[t];
      kept.resize(hits.count);
      for (std::uint64_t i = 0; i < hits.count; ++i) kept[i] = times[hits.cell(i)];
    }
    if (hits.count == 0) return;
    for (std::size_t k = 0; k < options_.keep.size(); ++k) {
      const StoredField* stored = stored_field(fragment(t), options_.keep[k]);
      if (stored && std::find(loaded.fields.begin(), loaded.fields.end(), stored) != loaded.fields.end())
        out_.kept[k].tiles[t] = pick_cells(loaded.of(stored), *stored, hits);
    }
  }

  void follow_curve(std::size_t t, const LoadedFields& loaded, std::span<std::uint8_t> mask) const {
    std::vector<ColumnView> columns;
    for (std::size_t d = 0; d < ranges_.size(); ++d) {
      const TileData& tile = loaded.of(dimension(t, d));
      columns.emplace_back(tile.data.data(), tile.offsets.data());
    }
    Buffer<std::uint64_t> places(mask.size());
    curve_.curve->places(columns, 0, places);
    for (std::size_t i = 0; i < mask.size(); ++i)
      mask[i] &= static_cast<std::uint8_t>(places[i] >= curve_.first && places[i] <= curve_.last);
  }

  static void collect(std::span<const std::uint8_t> mask, TileHits& hits) {
    Buffer<std::uint32_t> found(mask.size() + 1);
    std::size_t count = 0;
    for (std::size_t i = 0; i < mask.size(); ++i) {
      found[count] = static_cast<std::uint32_t>(i);
      count += mask[i] != 0;
    }
    hits.count = count;
    hits.all = count == mask.size();
    if (!hits.all) hits.cells.assign(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count));
  }

  void join_times() {
    if (std::all_of(times_.begin(), times_.end(), [](const auto& times) { return times.empty(); })) return;
    out_.times.resize(out_.count());
    for (std::size_t t = 0; t < out_.tiles.size(); ++t) {
      const auto to = out_.times.begin() + static_cast<std::ptrdiff_t>(out_.hits[t].first);
      if (times_[t].empty())
        std::fill_n(to, out_.hits[t].count, fragment(t).first_time());
      else
        std::copy(times_[t].begin(), times_[t].end(), to);
    }
  }

  const SparseQuery& query_;
  const RangeSet& ranges_;
  const CurveRange& curve_;
  const HitOptions& options_;
  const Work& work_;
  SparseHits& out_;
  const Snapshot& snapshot_;
  std::vector<TileSearch> searches_;
  std::vector<Buffer<std::uint64_t>> times_;
};

// Drops the kept values of a tile, because its hits changed.
void forget_kept(SparseHits& hits, std::size_t tile) {
  for (SparseHits::Kept& kept : hits.kept) kept.tiles[tile] = {};
}

void number_hits(SparseHits& hits) {
  std::uint64_t sum = 0;
  for (TileHits& tile : hits.hits) {
    tile.first = sum;
    sum += tile.count;
  }
}

}  // namespace

SparseHits find_hits(const SparseQuery& query, SparsePart part, const HitOptions& options, const Work& work) {
  SparseHits hits;
  hits.tiles = std::move(part.tiles);
  HitFinder(query, part.ranges, part.curve, options, work, hits).run();
  return hits;
}

void cut_hits(SparseHits& hits, std::uint64_t first, std::uint64_t count) {
  const std::uint64_t last = first + count;
  for (std::size_t t = 0; t < hits.hits.size(); ++t) {
    TileHits& tile = hits.hits[t];
    const std::uint64_t begin = std::clamp(first, tile.first, tile.first + tile.count) - tile.first;
    const std::uint64_t end = std::clamp(last, tile.first, tile.first + tile.count) - tile.first;
    if (begin == 0 && end == tile.count) continue;
    std::vector<std::uint32_t> cells;
    for (std::uint64_t i = begin; i < end; ++i) cells.push_back(tile.cell(i));
    tile = {0, end - begin, false, std::move(cells)};
    forget_kept(hits, t);
  }
  if (!hits.times.empty())
    hits.times = Buffer<std::uint64_t>(hits.times.begin() + static_cast<std::ptrdiff_t>(first),
                                       hits.times.begin() + static_cast<std::ptrdiff_t>(last));
  number_hits(hits);
}

void keep_hits(SparseHits& hits, std::span<const std::uint8_t> keep) {
  for (std::size_t t = 0; t < hits.hits.size(); ++t) {
    TileHits& tile = hits.hits[t];
    const std::span<const std::uint8_t> mask = keep.subspan(tile.first, tile.count);
    if (std::find(mask.begin(), mask.end(), std::uint8_t{0}) == mask.end()) continue;
    std::vector<std::uint32_t> cells;
    for (std::uint64_t i = 0; i < tile.count; ++i)
      if (mask[i]) cells.push_back(tile.cell(i));
    const std::uint64_t count = cells.size();
    tile = {0, count, false, std::move(cells)};
    forget_kept(hits, t);
  }
  hits.times.clear();
  number_hits(hits);
}

}  // namespace tegula::tiledb
