// Cells are merged by sorting them, not by comparing the next cells of all inputs. As many cells as the budget holds
// become a sorted run; several runs are kept in scratch files and merged part by part. So each tile is decoded once.
#include "format/tiledb/maintain/sparse_merge.h"

#include <algorithm>

#include "base/parallel.h"
#include "base/trim_heap.h"
#include "format/tiledb/disk/versions.h"
#include "format/tiledb/fragment/tile_source.h"
#include "format/tiledb/maintain/merge_rows.h"
#include "format/tiledb/maintain/merge_runs.h"
#include "format/tiledb/order/cell_sort.h"
#include "format/tiledb/write/cell_tiles.h"
#include "query/columns/gather.h"

namespace tegula::tiledb {

namespace {

// How the budget is divided: half for rows and sorting them, then for tiles that are decoded or written. The rest is
// left for what is not counted: footers, buffers of filters, and memory that the allocator cannot reuse at once.
std::uint64_t part_bytes(const Work& work) { return work.memory / 2; }
std::uint64_t slab_bytes(const Work& work) { return work.memory / 8; }
Work writing(const Work& work) {
  Work part = work;
  part.memory = work.memory / 8;
  return part;
}

// Cuts ordered rows into tiles, and tiles into fragments.
class MergeOutput {
 public:
  MergeOutput(const WriteTarget& target, const FragmentTimes& times, const MergeRules& rules,
              std::vector<std::string> processed)
      : target_(target), times_(times), rules_(rules), processed_(std::move(processed)) {}

  // Every call but the last adds whole tiles.
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

  // How many more tiles surely fit the fragment, judging by those it has.
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
      const std::size_t special = rows.special();
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

NewFragments merge_sparse(const WriteTarget& target, std::shared_ptr<const Snapshot> snapshot, const MergeRules& rules,
                          const Work& work) {
  const ArraySchema& schema = *target.schema;
  const MergeInput input(snapshot, work);
  const bool keep_times = rules.keep_times && visible_in_part(written_version(schema));
  FragmentTimes times{UINT64_MAX, 0, keep_times, keep_times && !rules.purge && input.has_deletes()};
  for (const auto& fragment : snapshot->fragments(work)) {
    times.first = std::min(times.first, fragment->first_time());
    times.last = std::max(times.last, fragment->last_time());
  }
  const Versions versions{keep_times, schema.allows_duplicates, rules.purge || !keep_times};
  const CellOrder global(schema, Order::global);
  MergeOutput output(target, times, rules, input.processed());
  // Writes the rows that fill tiles, at the end all of them, and returns the rest.
  const auto put = [&](const MergeRows& rows, Buffer<std::uint64_t>& order, bool last) {
    resolve_versions(rows, versions, order);
    const std::uint64_t left = last ? 0 : order.size() % schema.capacity;
    output.add(rows, std::span(order).first(order.size() - left), writing(work));
    MergeRows rest = input.no_rows();
    for (std::size_t c = 0; c < rest.columns.size(); ++c)
      append_gathered(rest.columns[c], rows.columns[c], std::span(order).last(left));
    return rest;
  };

  MergeRuns runs(target.store, global, input.no_rows(), part_bytes(work));
  const std::vector<SparseTile>& tiles = input.tiles();
  for (std::size_t begin = 0, end = 0; begin < tiles.size(); begin = end) {
    for (std::uint64_t bytes = 0; end < tiles.size(); ++end) {
      bytes += input.bytes(tiles[end]) + tiles[end].cells * kSortBytes;
      if (end > begin && bytes > part_bytes(work)) break;
    }
    MergeRows rows = input.no_rows();
    input.append(std::span(tiles).subspan(begin, end - begin), slab_bytes(work), rows, work);
    Buffer<std::uint64_t> order = global.sort(rows.coordinates(), work);
    if (end - begin == tiles.size()) {
      put(rows, order, true);
      return std::move(output).finished();
    }
    runs.add(rows, order, work);
  }
  if (tiles.empty()) return {};
  MergeRows rows = input.no_rows();
  Buffer<std::uint64_t> order;
  for (RunMerge merge = runs.merge(work); merge.more(); trim_heap()) {
    work.check();
    merge.next(rows, order, work);
    rows = put(rows, order, !merge.more());
  }
  return std::move(output).finished();
}

}  // namespace tegula::tiledb
