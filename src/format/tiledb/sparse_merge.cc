// Cells are merged by sorting them, not by comparing the heads of all inputs. When they do not fit the budget they are
// cut into parts by place; where to cut is told by a sample of the coordinates.
#include "format/tiledb/sparse_merge.h"

#include <algorithm>

#include "base/memory.h"
#include "base/parallel.h"
#include "format/tiledb/cell_sort.h"
#include "format/tiledb/cell_tiles.h"
#include "format/tiledb/merge_rows.h"
#include "format/tiledb/tile_source.h"
#include "format/tiledb/versions.h"
#include "query/gather.h"

namespace tegula::tiledb {

namespace {

constexpr std::uint64_t kSamplesPerPart = 256;

// How the budget is shared. Half of it is left for what is not counted: footers, sort orders, and what the allocator
// cannot use again at once.
std::uint64_t part_bytes(const Work& work) { return work.memory / 7; }
std::uint64_t slab_bytes(const Work& work) { return work.memory / 14; }
Work writing(const Work& work) {
  Work part = work;
  part.memory = work.memory / 7;
  return part;
}

// Parts of all cells that follow each other.
class MergeParts {
 public:
  MergeParts(const MergeInput& input, const Work& work) : input_(input) {
    std::uint64_t bytes = 0;
    for (const SparseTile& tile : input.tiles()) bytes += input.bytes(tile);
    if (bytes > part_bytes(work)) find_cuts(bytes, work);
  }

  std::size_t count() const { return cuts_.size() + 1; }

  PlaceRange range(std::size_t part) const {
    PlaceRange range{&places_, {}, {}};
    if (part > 0) range.after = cuts_[part - 1];
    if (part < cuts_.size()) range.upto = cuts_[part];
    return range;
  }

  std::vector<MergeTile> tiles(std::size_t part) const {
    std::vector<MergeTile> tiles;
    for (std::size_t t = 0; t < input_.tiles().size(); ++t) {
      const std::size_t first = part_of(t, first_), last = part_of(t, last_);
      if (first <= part && part <= last) tiles.push_back({input_.tiles()[t], last - first + 1});
    }
    return tiles;
  }

 private:
  struct Sample {
    std::uint64_t row = 0, bytes = 0;
  };

  // The part that holds the first or last cell of a tile.
  std::size_t part_of(std::size_t tile, const std::vector<std::uint64_t>& ends) const {
    if (cuts_.empty()) return 0;
    const auto at = std::lower_bound(cuts_.begin(), cuts_.end(), ranks_[ends[tile]],
                                     [&](std::uint64_t cut, std::uint64_t rank) { return ranks_[cut] < rank; });
    return static_cast<std::size_t>(at - cuts_.begin());
  }

  void find_cuts(std::uint64_t bytes, const Work& work) {
    const std::vector<SparseTile>& tiles = input_.tiles();
    const std::uint64_t wanted = (bytes / part_bytes(work) + 1) * kSamplesPerPart;
    const std::uint64_t per_tile = wanted / tiles.size() + 1;
    for (const MergeRows rows = input_.no_rows(); const Column& column : rows.coordinates()) places_.push_back(column);
    std::vector<Sample> samples;
    std::size_t end = 0;
    for (std::size_t begin = 0; begin < tiles.size(); begin = end) {
      work.check();
      for (std::uint64_t slab = 0; end < tiles.size() && (slab == 0 || slab < slab_bytes(work)); ++end)
        slab += input_.bytes(tiles[end]);
      add_places(std::span(tiles).subspan(begin, end - begin), per_tile, samples, work);
    }
    rank(work);
    std::sort(samples.begin(), samples.end(),
              [&](const Sample& a, const Sample& b) { return ranks_[a.row] < ranks_[b.row]; });
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      sum += samples[i].bytes;
      const bool last = i + 1 == samples.size();
      if (last || ranks_[samples[i].row] == ranks_[samples[i + 1].row]) continue;
      if (sum + samples[i + 1].bytes <= part_bytes(work)) continue;
      cuts_.push_back(samples[i].row);
      sum = 0;
    }
  }

  // The first and the last cell of each tile, and some between them.
  void add_places(std::span<const SparseTile> tiles, std::uint64_t per_tile, std::vector<Sample>& samples,
                  const Work& work) {
    const std::vector<std::vector<Column>> coordinates = input_.coordinates(tiles, work);
    std::vector<Buffer<std::uint64_t>> orders(tiles.size());
    const CellOrder order(input_.state().schema(), Order::global);
    parallel_for(work, tiles.size(), [&](std::size_t t) {
      Work alone = work;
      alone.threads = 1;
      orders[t] = order.sort(coordinates[t], alone);
    });
    for (std::size_t t = 0; t < tiles.size(); ++t) {
      const std::uint64_t cells = orders[t].size(), taken = std::min(cells, per_tile);
      first_.push_back(add(coordinates[t], orders[t].front()));
      last_.push_back(add(coordinates[t], orders[t].back()));
      for (std::uint64_t i = 0; i < taken; ++i)
        samples.push_back(
            {add(coordinates[t], orders[t][(2 * i + 1) * cells / (2 * taken)]), input_.bytes(tiles[t]) / taken});
    }
  }

  std::uint64_t add(const std::vector<Column>& coordinates, std::uint64_t cell) {
    for (std::size_t d = 0; d < places_.size(); ++d) append(places_[d], coordinates[d], cell, 1);
    return places_[0].cells() - 1;
  }

  // Places as numbers that compare as they do.
  void rank(const Work& work) {
    const Buffer<std::uint64_t> order = CellOrder(input_.state().schema(), Order::global).sort(places_, work);
    ranks_.resize(order.size());
    std::uint64_t rank = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i > 0 && !CellOrder::same_place(places_, order[i - 1], order[i])) ++rank;
      ranks_[order[i]] = rank;
    }
  }

  const MergeInput& input_;
  std::vector<Column> places_;
  std::vector<std::uint64_t> ranks_;         // of places_
  std::vector<std::uint64_t> first_, last_;  // by tile, in places_
  std::vector<std::uint64_t> cuts_;          // the last place of each part but the last
};

// Cuts ordered rows into tiles, and tiles into fragments.
class MergeOutput {
 public:
  MergeOutput(const WriteTarget& target, const FragmentTimes& times, const MergeRules& rules,
              std::vector<std::string> processed)
      : target_(target), times_(times), rules_(rules), processed_(std::move(processed)) {}

  // All but the last call take whole tiles.
  void add(const MergeRows& rows, std::span<const std::uint64_t> order, const Work& work) {
    const std::uint64_t capacity = target_.schema->capacity;
    const std::uint64_t tiles = (order.size() + capacity - 1) / capacity;
    const std::uint64_t tile_bytes =
        tiles == 0 ? 0 : rows.bytes() / std::max<std::uint64_t>(1, rows.cells()) * capacity;
    for (std::uint64_t first = 0; first < tiles;) {
      if (writer_ && writer_->bytes() >= rules_.max_fragment_size) finish();
      if (!writer_) begin();
      const std::uint64_t count = std::min(tiles - first, room());
      const auto cells = order.subspan(first * capacity, std::min(count * capacity, order.size() - first * capacity));
      add_tiles(rows, cells, count, tile_bytes, work);
      first += count;
    }
  }

  NewFragments finished() && {
    if (writer_) finish();
    return std::move(fragments_);
  }

 private:
  void begin() {
    writer_ = std::make_unique<FragmentWriter>(target_, false, times_);
    rectangles_ = MbrTable(target_.schema->range_types());
  }

  // Tiles that surely fit the fragment, judging by those it has.
  std::uint64_t room() const {
    if (rules_.max_fragment_size == UINT64_MAX) return UINT64_MAX;
    if (rectangles_.count() == 0) return 1;
    const std::uint64_t one = writer_->bytes() / rectangles_.count() + 1;
    return std::max<std::uint64_t>(
        1, (rules_.max_fragment_size - std::min(rules_.max_fragment_size, writer_->bytes())) / one / 2);
  }

  void add_tiles(const MergeRows& rows, std::span<const std::uint64_t> cells, std::uint64_t count,
                 std::uint64_t tile_bytes, const Work& work) {
    const std::uint64_t capacity = target_.schema->capacity;
    const std::vector<StoredField>& fields = writer_->fields();
    const auto column_of = [&](const StoredField& field) -> const Column& {
      const std::size_t special = rows.columns.size() - 3;
      switch (field.kind) {
        case FieldKind::attribute:
          return rows.columns[field.index];
        case FieldKind::dimension:
          return rows.columns[rows.attributes + field.index];
        case FieldKind::timestamps:
          return rows.columns[special];
        case FieldKind::delete_times:
          return rows.columns[special + 1];
        default:
          return rows.columns[special + 2];
      }
    };
    TileRectangles rectangles(*target_.schema, count);
    writer_->add_tiles(
        count, tile_bytes,
        [&](std::uint64_t tile, std::size_t f, TileColumn& out) {
          const std::uint64_t first = tile * capacity;
          gather_tile(fields[f], column_of(fields[f]),
                      cells.subspan(first, std::min<std::uint64_t>(capacity, cells.size() - first)), out);
          rectangles.take(tile, fields[f], out);
        },
        work);
    rectangles.append_to(rectangles_);
    last_tile_cells_ = cells.size() - (count - 1) * capacity;
  }

  void finish() {
    FragmentCover cover = cover_of(std::move(rectangles_), *target_.schema, last_tile_cells_);
    cover.processed = processed_;
    writer_->finish(cover);
    fragments_.push_back(std::move(writer_));
  }

  const WriteTarget& target_;
  const FragmentTimes times_;
  const MergeRules& rules_;
  const std::vector<std::string> processed_;
  std::unique_ptr<FragmentWriter> writer_;
  MbrTable rectangles_;
  std::uint64_t last_tile_cells_ = 0;
  NewFragments fragments_;
};

}  // namespace

NewFragments merge_sparse(const WriteTarget& target, std::shared_ptr<const ReadState> state, const MergeRules& rules,
                          const Work& work) {
  const ArraySchema& schema = *target.schema;
  const MergeInput input(state, work);
  const bool keep_times = rules.keep_times && visible_in_part(written_version(schema));
  FragmentTimes times{UINT64_MAX, 0, keep_times, keep_times && !rules.purge && input.has_deletes()};
  for (const auto& fragment : state->fragments(work)) {
    times.first = std::min(times.first, fragment->first_time());
    times.last = std::max(times.last, fragment->last_time());
  }
  const Versions versions{keep_times, schema.allows_duplicates, rules.purge || !keep_times};
  const MergeParts parts(input, work);
  MergeOutput output(target, times, rules, input.processed());
  const CellOrder global(schema, Order::global);
  MergeRows rows = input.no_rows();
  for (std::size_t part = 0; part < parts.count(); ++part) {
    input.append(parts.tiles(part), parts.range(part), slab_bytes(work), rows, work);
    Buffer<std::uint64_t> order = global.sort(rows.coordinates(), work);
    resolve_versions(rows, versions, order);
    // Cells that do not fill a tile go on to the next part.
    const bool last = part + 1 == parts.count();
    const std::uint64_t left = last ? 0 : order.size() % schema.capacity;
    const std::span<const std::uint64_t> whole = std::span(order).first(order.size() - left);
    output.add(rows, whole, writing(work));
    MergeRows rest = input.no_rows();
    for (std::size_t c = 0; c < rest.columns.size(); ++c)
      append_gathered(rest.columns[c], rows.columns[c], std::span(order).last(left));
    rows = std::move(rest);
    if (!last) release_free_memory();
  }
  return std::move(output).finished();
}

}  // namespace tegula::tiledb
