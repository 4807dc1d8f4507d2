#include "format/tiledb/sparse/sparse_cuts.h"

#include <algorithm>

#include "base/parallel.h"
#include "format/tiledb/disk/ordered_bits.h"
#include "format/tiledb/fragment/tile_source.h"
#include "format/tiledb/read/tile_pruning.h"
#include "format/tiledb/sparse/sparse_values.h"

namespace tegula::tiledb {

namespace {

// Bytes that a candidate takes while it is sorted, deduplicated and placed.
constexpr std::uint64_t kCandidateBytes = 72;
constexpr std::uint64_t kSamplesPerPart = 256;
// Every part lists its tiles: many parts of many tiles would not fit the budget.
constexpr std::uint64_t kMostParts = 32;

// Parts are made smaller than the budget because a sample is not exact.
std::uint64_t aim(const Work& work) { return work.memory - work.memory / 4; }

template <class Key>
struct Samples {
  struct Sample {
    Key key;
    std::size_t tile;
    double bytes;  // of the cells it stands for
  };
  struct Tile {
    Key first{}, last{};
    bool any = false;  // has cells in the part
  };
  std::vector<Sample> samples;  // by key
  std::vector<Tile> tiles;
  double bytes = 0;
};

// keys_of(columns of `fields`)(i) returns the key of cell i.
template <class Key>
Samples<Key> take_samples(const SparseQuery& query, const SparsePart& part, std::span<const FieldInfo> fields,
                          const auto& keys_of, const Work& work) {
  Samples<Key> result;
  result.tiles.resize(part.tiles.size());
  const std::uint64_t per_tile = kMostParts * kSamplesPerPart / part.tiles.size() + 1;
  std::size_t end = 0;
  for (std::size_t begin = 0; begin < part.tiles.size(); begin = end) {
    work.check();
    SparsePart slab{part.ranges, {}, part.curve, {}};
    std::vector<std::uint64_t> bytes;
    for (std::uint64_t sum = 0; end < part.tiles.size() && (sum == 0 || sum < work.memory / 2); ++end) {
      slab.tiles.push_back(part.tiles[end]);
      sum += bytes.emplace_back(tile_bytes(query, part.tiles[end], work));
    }
    const SparseHits hits = find_hits(query, std::move(slab), {.conditions = false, .keep = fields}, work);
    const auto key = keys_of(read_hits(query, hits, fields, work));
    for (std::size_t t = 0; t < hits.tiles.size(); ++t) {
      const std::uint64_t first = hits.hits[t].first, count = hits.hits[t].count;
      if (count == 0) continue;
      auto low = key(first), high = low;
      for (std::uint64_t i = first + 1; i < first + count; ++i) {
        low = std::min(low, key(i));
        high = std::max(high, key(i));
      }
      result.tiles[begin + t] = {Key(low), Key(high), true};
      const double all =
          static_cast<double>(bytes[t]) * static_cast<double>(count) / static_cast<double>(hits.tiles[t].cells);
      result.bytes += all;
      const std::uint64_t taken = std::min(count, per_tile);
      for (std::uint64_t i = 0; i < taken; ++i) {
        // Picks a scattered cell of each piece: equal steps would miss values that repeat at regular distances.
        const std::uint64_t from = i * count / taken, width = (i + 1) * count / taken - from;
        const std::uint64_t at = from + ((i + 1) * 0x9E3779B97F4A7C15 >> 32) % width;
        result.samples.push_back({Key(key(first + at)), begin + t, all / static_cast<double>(taken)});
      }
    }
  }
  std::stable_sort(result.samples.begin(), result.samples.end(),
                   [](const auto& a, const auto& b) { return a.key < b.key; });
  return result;
}

// The keys at which new parts begin. A key with too many cells gets a part of its own; after(key) is the next key.
template <class Key>
std::vector<Key> find_cuts(const Samples<Key>& from, const auto& after, const Work& work) {
  const double limit = std::max(static_cast<double>(aim(work)), from.bytes / kMostParts);
  std::vector<Key> cuts;
  double sum = 0;
  for (std::size_t begin = 0, end = 0; begin < from.samples.size(); begin = end) {
    const Key& key = from.samples[begin].key;
    double bytes = 0;
    for (; end < from.samples.size() && from.samples[end].key == key; ++end) bytes += from.samples[end].bytes;
    const bool alone = bytes > limit;
    if (alone || sum + bytes > limit) {
      if (cuts.empty() || cuts.back() != key) cuts.push_back(key);
      sum = 0;
    }
    sum += bytes;
    if (!alone) continue;
    if (const Key next = after(key); key < next) cuts.push_back(next);  // the largest number has none
    sum = 0;
  }
  return cuts;
}

// narrow(part, first, behind) restricts a part to the keys from `first` up to, but not including, `behind`; null: no
// bound.
template <class Key>
std::vector<SparsePart> make_parts(const SparseQuery& query, const SparsePart& part, const Samples<Key>& from,
                                   const std::vector<Key>& cuts, const auto& narrow, const Work& work) {
  std::vector<SparsePart> parts;
  auto sample = from.samples.begin();
  for (std::size_t p = 0; p <= cuts.size(); ++p) {
    const Key* const first = p == 0 ? nullptr : &cuts[p - 1];
    const Key* const behind = p == cuts.size() ? nullptr : &cuts[p];
    std::vector<double> bytes(part.tiles.size(), 0);
    for (; sample != from.samples.end() && (!behind || sample->key < *behind); ++sample)
      bytes[sample->tile] += sample->bytes;
    SparsePart piece{part.ranges, {}, part.curve, {}};
    narrow(piece, first, behind);
    for (std::size_t t = 0; t < part.tiles.size(); ++t) {
      const auto& tile = from.tiles[t];
      if (!tile.any || (first && tile.last < *first) || (behind && !(tile.first < *behind))) continue;
      piece.tiles.push_back(part.tiles[t]);
      piece.tiles.back().share = bytes[t] / static_cast<double>(tile_bytes(query, part.tiles[t], work));
    }
    if (piece.tiles.empty()) continue;
    piece.counted = piece.ranges;
    parts.push_back(std::move(piece));
  }
  return parts;
}

template <class Key>
std::vector<SparsePart> cut_by(const SparseQuery& query, const SparsePart& part, std::size_t dimension,
                               const auto& key_of, const auto& after, const Work& work) {
  const FieldInfo field = dimensions_of(*query.snapshot)[dimension];
  const auto keys_of = [&](std::vector<Column> columns) {
    return [&key_of, column = std::move(columns[0])](std::uint64_t i) { return key_of(column, i); };
  };
  const auto from = take_samples<Key>(query, part, std::span(&field, 1), keys_of, work);
  const auto narrow = [&](SparsePart& piece, const Key* first, const Key* behind) {
    RangeList& list = piece.ranges[dimension];
    if (first) list = list.split(*first).second;
    if (behind) list = list.split(*behind).first;
  };
  std::vector<SparsePart> parts = make_parts(query, part, from, find_cuts(from, after, work), narrow, work);
  for (SparsePart& piece : parts)
    for (SparseTile& tile : piece.tiles)
      tile.overlap = overlap(piece.ranges, query.snapshot->fragments(work)[tile.fragment]->rtree().leaves(), tile.tile);
  return parts;
}

}  // namespace

std::uint64_t tile_bytes(const SparseQuery& query, const SparseTile& tile, const Work& work) {
  const Fragment& fragment = *query.snapshot->fragments(work)[tile.fragment];
  std::uint64_t bytes = tile.cells * (query.sorts() ? kCandidateBytes : 16);
  const auto add = [&](const FieldInfo& field) {
    if (const StoredField* stored = stored_field(fragment, field))
      bytes += 2 * decoded_bytes({&fragment, stored, tile.tile});
  };
  for (const FieldInfo& field : query.fields) add(field);
  for (const FieldInfo& field : dimensions_of(*query.snapshot)) add(field);
  return bytes;
}

std::vector<SparsePart> cut_by_coordinate(const SparseQuery& query, const SparsePart& part, std::size_t dimension,
                                          const Work& work) {
  if (part.ranges[dimension].text())
    return cut_by<std::string>(
        query, part, dimension, [](const Column& column, std::uint64_t i) { return text_of(column.cell(i)); },
        [](const std::string& text) { return next_text(text); }, work);
  return cut_by<std::uint64_t>(
      query, part, dimension,
      [](const Column& column, std::uint64_t i) { return to_ordered(column.type, column.cell(i).data()); },
      [](std::uint64_t number) { return number + 1; }, work);
}

std::vector<SparsePart> cut_by_curve(const SparseQuery& query, const SparsePart& part, const Work& work) {
  const std::vector<FieldInfo> dimensions = dimensions_of(*query.snapshot);
  const auto curve =
      part.curve.curve ? part.curve.curve : std::make_shared<const HilbertCurve>(query.snapshot->schema());
  const auto keys_of = [&](const std::vector<Column>& columns) {
    const std::vector<ColumnView> views(columns.begin(), columns.end());
    Buffer<std::uint64_t> places(columns[0].cells());
    constexpr std::uint64_t kBlock = 1 << 14;
    parallel_for(work, (places.size() + kBlock - 1) / kBlock, [&](std::size_t b) {
      const std::uint64_t first = b * kBlock, count = std::min<std::uint64_t>(kBlock, places.size() - first);
      curve->places(views, first, std::span(places).subspan(first, count));
    });
    return [places = std::move(places)](std::uint64_t i) { return places[i]; };
  };
  const auto from = take_samples<std::uint64_t>(query, part, dimensions, keys_of, work);
  const auto narrow = [&](SparsePart& piece, const std::uint64_t* first, const std::uint64_t* behind) {
    piece.curve.curve = curve;
    if (first) piece.curve.first = *first;
    if (behind) piece.curve.last = *behind - 1;
  };
  return make_parts(query, part, from,
                    find_cuts(from, [](std::uint64_t place) { return place + 1; }, work), narrow, work);
}

}  // namespace tegula::tiledb
