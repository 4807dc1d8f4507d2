#include "format/tiledb/sparse/sparse_parts.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "base/parallel.h"
#include "format/tiledb/disk/ordered_bits.h"
#include "format/tiledb/fragment/tile_fetch.h"
#include "format/tiledb/order/float_tile.h"
#include "format/tiledb/read/request.h"
#include "format/tiledb/read/tile_pruning.h"
#include "format/tiledb/sparse/sparse_cuts.h"

namespace tegula::tiledb {

namespace {

// The number of the space tile that holds a value, by the format's own division.
std::uint64_t tile_index(const SchemaDimension& dimension, std::uint64_t ordered) {
  return with_number(dimension.type, [&]<class T>(T) -> std::uint64_t {
    const T low = load_le<T>(dimension.domain.data()), extent = load_le<T>(dimension.extent.data());
    if constexpr (std::is_floating_point_v<T>) {
      return float_tile(from_ordered<T>(ordered), low, extent);
    } else {
      const std::uint64_t first = to_ordered(low);
      return ordered <= first ? 0 : (ordered - first) / static_cast<std::make_unsigned_t<T>>(extent);
    }
  });
}

// The start of a space tile in (low, high], near `wanted`; low when there is only one tile. Found by search, because
// the tiles of float dimensions begin where a division rounds.
std::uint64_t tile_boundary(const SchemaDimension& dimension, std::uint64_t low, std::uint64_t high,
                            std::uint64_t wanted) {
  const std::uint64_t first = tile_index(dimension, low), last = tile_index(dimension, high);
  if (first == last) return low;
  const std::uint64_t target = std::max(first + 1, tile_index(dimension, wanted));
  std::uint64_t below = low, at = high;  // tile(below) < target <= tile(at)
  while (at - below > 1) {
    const std::uint64_t middle = below + (at - below) / 2;
    (tile_index(dimension, middle) < target ? below : at) = middle;
  }
  return at;
}

struct Bounds {
  std::uint64_t low = UINT64_MAX, high = 0;
};
Bounds bounds_of(const MbrTable& mbrs, std::size_t d, std::uint64_t i) {
  return {to_ordered(mbrs.type(d), mbrs.low(d, i).data()), to_ordered(mbrs.type(d), mbrs.high(d, i).data())};
}
Bounds clipped(const Bounds& box, const std::pair<std::uint64_t, std::uint64_t>& hull) {
  return {std::max(box.low, hull.first), std::min(box.high, hull.second)};
}

}  // namespace

SparseQuery make_sparse_query(std::shared_ptr<const Snapshot> snapshot, const Query& query,
                              std::vector<FieldInfo> fields) {
  SparseQuery result;
  result.fields = std::move(fields);
  const std::vector<std::vector<Range>> ranges = ranges_of(*snapshot, query);
  result.ranges = sparse_ranges(*snapshot, ranges);
  result.where = bind_condition(*snapshot, query);
  result.order = query.order.value_or(Order::unordered);
  if (result.order == Order::row || result.order == Order::col) result.repeats = overlapping_ranges(*snapshot, ranges);
  const auto& fragments = snapshot->fragments(query.work);
  std::set<std::uint32_t> touched;
  for (const SparseTile& tile : find_tiles(*snapshot, result.ranges, query.work)) touched.insert(tile.fragment);
  result.deletes.resize(fragments.size());
  const std::vector<std::uint32_t> list(touched.begin(), touched.end());
  std::vector<WantedPlaces> places(list.size());
  parallel_for(query.work, list.size(), [&](std::size_t i) {
    const Fragment& fragment = *fragments[list[i]];
    result.deletes[list[i]] = deletes_of(fragment, snapshot->conditions(query.work));
    places[i].fragment = &fragment;
    std::vector<const StoredField*>& wanted = places[i].fields;
    const auto want = [&](const FieldInfo& field) {
      if (const StoredField* stored = stored_field(fragment, field)) wanted.push_back(stored);
    };
    std::for_each(result.fields.begin(), result.fields.end(), want);
    std::for_each(result.where.fields().begin(), result.where.fields().end(), want);
    for (const FieldInfo& field : dimensions_of(*snapshot)) want(field);
    if (fragment.has_timestamps()) wanted.push_back(fragment.special(FieldKind::timestamps));
  });
  // What planning and reading need.
  prefetch_tile_places(snapshot->files(), places, query.work);
  result.in_order = touched.size() <= 1;
  result.unique = touched.empty() || (touched.size() == 1 && !fragments[*touched.begin()]->has_timestamps());
  result.snapshot = std::move(snapshot);
  return result;
}

SparseParts::SparseParts(const SparseQuery& query, const Work& work) : query_(query), work_(work) {
  SparsePart whole{query.ranges, find_tiles(*query.snapshot, query.ranges, work), {}, {}};
  const auto& fragments = query.snapshot->fragments(work);
  // A tile without a match may still hide older cells of others.
  if (!query.deduplicates() && !query.where.empty())
    std::erase_if(whole.tiles, [&](const SparseTile& tile) {
      return match_by_statistics(query.where, *fragments[tile.fragment], tile.tile) == Match::none;
    });
  if (!whole.tiles.empty()) pending_.push_back(std::move(whole));
}

std::uint64_t SparseParts::cost(const SparsePart& part, const SparseTile& tile) const {
  double bytes = tile.share * static_cast<double>(tile_bytes(query_, tile, work_));
  if (tile.overlap != Overlap::all && by_space_tiles()) {
    // Space tiles are cut without a sample: the share of the tile's box that lies in the part is taken for the share of
    // its cells.
    const MbrTable& mbrs = query_.snapshot->fragments(work_)[tile.fragment]->rtree().leaves();
    for (std::size_t d = 0; d < part.ranges.size(); ++d) {
      if (part.ranges[d].text()) continue;
      Bounds box = bounds_of(mbrs, d, tile.tile);
      if (!part.counted.empty()) box = clipped(box, part.counted[d].hull());
      const Bounds cut = clipped(box, part.ranges[d].hull());
      if (cut.low <= cut.high)
        bytes *= (static_cast<double>(cut.high - cut.low) + 1) / (static_cast<double>(box.high - box.low) + 1);
    }
  }
  return static_cast<std::uint64_t>(bytes);
}

std::optional<SparsePart> SparseParts::next() {
  while (!pending_.empty()) {
    SparsePart part = std::move(pending_.back());
    pending_.pop_back();
    std::uint64_t sum = 0;
    std::size_t fits = 0;
    while (fits < part.tiles.size() && sum <= work_.memory) sum += cost(part, part.tiles[fits++]);
    if (sum > work_.memory) {
      if (!query_.sorts()) {
        fits = std::max<std::size_t>(1, fits - 1);
        SparsePart rest{
            part.ranges, {part.tiles.begin() + static_cast<std::ptrdiff_t>(fits), part.tiles.end()}, {}, {}};
        part.tiles.resize(fits);
        if (!rest.tiles.empty()) pending_.push_back(std::move(rest));
      } else if (split(part)) {
        continue;
      }
    }
    // Candidates of newer fragments come first, so that equal cells keep that order.
    if (query_.sorts())
      std::stable_sort(part.tiles.begin(), part.tiles.end(),
                       [](const SparseTile& a, const SparseTile& b) { return a.fragment > b.fragment; });
    return part;
  }
  return std::nullopt;
}

bool SparseParts::by_space_tiles() const {
  return query_.order == Order::global && query_.snapshot->schema().cell_order != Order::hilbert;
}

const MbrTable& SparseParts::rectangles(const SparseTile& tile) const {
  return query_.snapshot->fragments(work_)[tile.fragment]->rtree().leaves();
}

void SparseParts::halve(const SparsePart& part, std::size_t d, const auto& at) {
  auto [below, above] = part.ranges[d].split(at);
  for (RangeList* list : {&above, &below}) {
    SparsePart half{part.ranges, {}, part.curve, part.counted};
    half.ranges[d] = std::move(*list);
    for (const SparseTile& tile : part.tiles) {
      const Overlap with = overlap(half.ranges, rectangles(tile), tile.tile);
      if (with == Overlap::none) continue;
      half.tiles.push_back(tile);
      half.tiles.back().overlap = with;
    }
    if (!half.tiles.empty()) pending_.push_back(std::move(half));
  }
}

void SparseParts::add(std::vector<SparsePart> parts) {
  pending_.insert(pending_.end(), std::make_move_iterator(parts.rbegin()), std::make_move_iterator(parts.rend()));
}

// Halves the part when most tiles lie on one side of the cut; sides(tile) counts the sides that have cells of the tile.
// Otherwise most tiles would be read twice, so cuts are chosen from a sample and kept few.
void SparseParts::split_at(const SparsePart& part, std::size_t d, const auto& at, const auto& sides) {
  std::size_t sum = 0;
  for (const SparseTile& tile : part.tiles) sum += sides(tile);
  if (sum <= part.tiles.size() + part.tiles.size() / 2)
    halve(part, d, at);
  else
    add(cut_by_coordinate(query_, part, d, work_));
}

void SparseParts::split_text(const SparsePart& part, std::size_t d) {
  const std::string_view lowest = part.ranges[d].lowest_text();
  std::vector<std::string_view> lows;
  for (const SparseTile& tile : part.tiles)
    lows.push_back(std::max(lowest, text_of(rectangles(tile).low(d, tile.tile))));
  const auto middle = lows.begin() + static_cast<std::ptrdiff_t>(lows.size() / 2);
  std::nth_element(lows.begin(), middle, lows.end());
  const std::string at(*middle);
  // When no tile begins below it, the middle cuts nothing off.
  const bool cuts = std::any_of(lows.begin(), lows.end(), [&](std::string_view low) { return low < at; });
  split_at(part, d, at, [&](const SparseTile& tile) -> std::size_t {
    const std::string_view low = text_of(rectangles(tile).low(d, tile.tile));
    return cuts ? (low < at ? 1u : 0u) + (text_of(rectangles(tile).high(d, tile.tile)) >= at ? 1u : 0u) : 2u;
  });
}

// Cuts along the slowest dimension of the order, where about half of the tiles begin. A faster dimension is cut only
// when the part has a single value, or space tile, of all slower ones.
bool SparseParts::split(const SparsePart& part) {
  const ArraySchema& schema = query_.snapshot->schema();
  const std::size_t n = schema.dimensions.size();
  const bool global = query_.order == Order::global;
  if (global && schema.cell_order == Order::hilbert && part.curve.first != part.curve.last) {
    add(cut_by_curve(query_, part, work_));
    return true;
  }

  const auto bounds = [&](std::size_t d, std::vector<std::uint64_t>& lows) {
    Bounds all;
    for (const SparseTile& tile : part.tiles) {
      const Bounds box = clipped(bounds_of(rectangles(tile), d, tile.tile), part.ranges[d].hull());
      lows.push_back(box.low);
      all.low = std::min(all.low, box.low);
      all.high = std::max(all.high, box.high);
    }
    std::nth_element(lows.begin(), lows.begin() + static_cast<std::ptrdiff_t>(lows.size() / 2), lows.end());
    return all;
  };
  const auto middle_of = [](const Bounds& box, const std::vector<std::uint64_t>& lows) {
    const std::uint64_t median = lows[lows.size() / 2];
    return median > box.low && median <= box.high ? median : box.low + (box.high - box.low) / 2 + 1;
  };

  for (std::size_t i = 0; by_space_tiles() && i < n; ++i) {
    const std::size_t d = schema.tile_order == Order::col ? n - 1 - i : i;
    const SchemaDimension& dimension = schema.dimensions[d];
    if (dimension.var() || dimension.extent.empty()) continue;
    std::vector<std::uint64_t> lows;
    const Bounds box = bounds(d, lows);
    if (box.low >= box.high) continue;
    const std::uint64_t at = tile_boundary(dimension, box.low, box.high, middle_of(box, lows));
    if (at == box.low) continue;
    halve(part, d, at);
    return true;
  }
  const bool last_first = query_.order == Order::col || (global && schema.cell_order == Order::col);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t d = last_first ? n - 1 - i : i;
    if (schema.dimensions[d].var()) {
      if (part.ranges[d].single_text()) continue;
      split_text(part, d);
      return true;
    }
    std::vector<std::uint64_t> lows;
    const Bounds box = bounds(d, lows);
    if (box.low >= box.high) continue;
    const std::uint64_t at = middle_of(box, lows);
    const auto sides = [&](const SparseTile& tile) -> std::size_t {
      const Bounds of = bounds_of(rectangles(tile), d, tile.tile);
      return (of.low < at ? 1u : 0u) + (of.high >= at ? 1u : 0u);
    };
    split_at(part, d, at, sides);
    return true;
  }
  return false;
}

}  // namespace tegula::tiledb
