// A fragment is written tile by tile, so the cells must come in an order that completes tiles: rows of tiles where such
// a row fits in memory, otherwise single tiles, whose cells are reordered here.
#include "convert/fragment_copy.h"

#include <algorithm>
#include <utility>

#include "base/product.h"
#include "convert/blocks.h"
#include "convert/convert.h"
#include "convert/written_boxes.h"
#include "format/registry/registry.h"
#include "query/columns/gather.h"

namespace tegula {

namespace {

using Extents = std::vector<std::uint64_t>;

// Appends the positions of the cells of a box in a row-major block, in row or column order.
void add_positions(Buffer<std::uint64_t>& out, const Extents& block, const Extents& first, const Extents& count,
                   Order order) {
  const std::size_t n = block.size();
  Extents stride(n, 1), done(n, 0);
  for (std::size_t i = n - 1; i-- > 0;) stride[i] = stride[i + 1] * block[i + 1];
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < n; ++i) at += first[i] * stride[i];
  const auto axis = [&](std::size_t rank) { return order == Order::col ? rank : n - 1 - rank; };  // fastest first
  for (;;) {
    const std::size_t fastest = axis(0);
    for (std::uint64_t k = 0; k < count[fastest]; ++k) out.push_back(at + k * stride[fastest]);
    std::size_t rank = 1;
    for (; rank < n; ++rank) {
      const std::size_t a = axis(rank);
      at += stride[a];
      if (++done[a] < count[a]) break;
      at -= stride[a] * count[a];
      done[a] = 0;
    }
    if (rank >= n) return;
  }
}

std::unique_ptr<FragmentTarget> fragments_of(const CopyTask& task) {
  return driver_of(task.to).copy.fragments(task.source, task.to, task.may_pass, quiet(task.work));
}

class DenseCopy {
 public:
  explicit DenseCopy(const CopyTask& task)
      : task_(task),
        schema_(task.to.schema()),
        tile_(schema_.chunks()),
        by_columns_(schema_.tile_order == Order::col && tile_.size() > 1),
        slowest_(by_columns_ ? tile_.size() - 1 : 0),
        cell_(cell_bytes(schema_)),
        budget_(task.work.memory / 4),
        target_(fragments_of(task)) {
    for (std::uint64_t& extent : tile_) extent = std::max<std::uint64_t>(1, extent);
  }

  void run() {
    ResumeNote& note = task_.note;
    if (!task_.resumed) note.block_cells = std::max<std::uint64_t>(1, task_.fragment_bytes / cell_);
    std::vector<CellBox> pieces;
    for (const CellBox& box : task_.boxes) cut(box, note.block_cells, pieces);
    check_blocks(task_, pieces.size());
    if (!task_.resumed) keep_note(task_);
    Progress* const progress = task_.work.progress;
    std::uint64_t length = 0, there = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      length += pieces[i].count[slowest_];
      if (i < note.done) there += pieces[i].count[slowest_];
    }
    if (progress) progress->begin("copying", length);
    if (progress) progress->advance(there);
    while (note.done < pieces.size()) {
      fragment(pieces[note.done]);
      ++note.done;
      // After the last fragment the note is removed instead.
      if (note.done < note.blocks) keep_note(task_);
    }
    if (progress) progress->end();
  }

 private:
  // Cells of one row of tiles.
  std::uint64_t row_cells(const CellBox& box) const {
    std::uint64_t cells = tile_[slowest_];
    for (std::size_t i = 0; i < tile_.size(); ++i)
      if (i != slowest_) cells = saturated_product(cells, box.count[i]);
    return cells;
  }

  // Cuts a box into the boxes of fragments of about that many cells.
  void cut(const CellBox& box, std::uint64_t cells, std::vector<CellBox>& out) const {
    const std::uint64_t rows = saturated_product(std::max<std::uint64_t>(1, cells / row_cells(box)), tile_[slowest_]);
    CellBox piece = box;
    for (std::uint64_t left = box.count[slowest_]; left > 0; left -= piece.count[slowest_]) {
      piece.first[slowest_] = box.first[slowest_] + (box.count[slowest_] - left);
      piece.count[slowest_] = rows_until(piece.first[slowest_], rows, left);
      out.push_back(piece);
    }
  }

  // The length of the next step along the slowest axis, so that it ends at the end of a tile.
  std::uint64_t rows_until(std::uint64_t first, std::uint64_t step, std::uint64_t left) const {
    return std::min(left, step - first % tile_[slowest_]);
  }

  // The axes with the slowest one of the tile order first.
  Extents turned(Extents extents) const {
    if (by_columns_) std::reverse(extents.begin(), extents.end());
    return extents;
  }
  CellBox turned(const CellBox& box) const { return {turned(box.first), turned(box.count)}; }

  Batch read(const CellBox& box, Order order) const {
    task_.work.check();
    Query query;
    query.fields = task_.source.fields;
    ask_for(query, task_.source.from.schema(), box);
    query.order = order;
    query.work = quiet(task_.work);
    Batch batch = collect(*task_.source.from.query(query));
    for (std::size_t i = 0; i < task_.source.fields.size(); ++i)
      shape_column(batch.columns.at(i), schema_.attributes.at(i));
    return batch;
  }

  void fragment(const CellBox& box) const {
    if (target_->copies_tiles()) {
      task_.passed += target_->copy_box(
          box.first, box.count,
          [&](const Extents& first, const Extents& count) { return read({first, count}, Order::global); }, task_.work);
      return;
    }
    const bool in_rows = !by_columns_ && (saturated_product(row_cells(box), cell_) <= budget_ || tile_.size() == 1);
    WriteOptions options;
    options.work = quiet(task_.work);
    std::uint64_t tile_bytes = saturated_product(cell_, 8);
    for (const std::uint64_t extent : tile_) tile_bytes = saturated_product(tile_bytes, extent);
    options.work.memory = std::max(options.work.memory, tile_bytes);
    options.order = in_rows ? Order::row : Order::global;
    options.at = task_.at;
    const std::unique_ptr<CellWriter> writer = target_->write_box(box.first, box.count, options);
    if (in_rows)
      write_rows(*writer, box);
    else
      write_tiles(*writer, box);
    writer->commit();
  }

  void write_rows(CellWriter& writer, CellBox box) const {
    const std::uint64_t step =
        saturated_product(std::max<std::uint64_t>(1, budget_ / saturated_product(row_cells(box), cell_)), tile_[0]);
    for (std::uint64_t left = box.count[0]; left > 0; left -= box.count[0], box.first[0] += box.count[0]) {
      box.count[0] = rows_until(box.first[0], step, left);
      writer.write(read(box, Order::row));
      if (task_.work.progress) task_.work.progress->advance(box.count[0]);
    }
  }

  void write_tiles(CellWriter& writer, const CellBox& box) const {
    const Blocks blocks(turned(box), turned(tile_), std::max<std::uint64_t>(1, budget_ / 2 / cell_));
    Buffer<std::uint64_t> positions;
    for (std::uint64_t i = 0; i < blocks.count(); ++i) {
      const CellBox block = turned(blocks.box(i));
      Batch batch = read(block, Order::row);
      positions.clear();
      const Blocks tiles(turned(block), turned(tile_), 1);
      for (std::uint64_t t = 0; t < tiles.count(); ++t) {
        CellBox tile = turned(tiles.box(t));
        for (std::size_t d = 0; d < tile.first.size(); ++d) tile.first[d] -= block.first[d];
        add_positions(positions, block.count, tile.first, tile.count, schema_.cell_order);
      }
      for (Column& column : batch.columns) column = gather(column, positions);
      batch.shape.reset();
      writer.write(batch);
    }
    if (task_.work.progress) task_.work.progress->advance(box.count[slowest_]);
  }

  const CopyTask& task_;
  const Schema schema_;
  Extents tile_;
  const bool by_columns_;
  const std::size_t slowest_;
  const std::uint64_t cell_;
  const std::uint64_t budget_;
  const std::unique_ptr<FragmentTarget> target_;
};

std::uint64_t cells_there(const Array& to) {
  std::uint64_t cells = 0;
  for (const FragmentInfo& fragment : to.info().fragments) cells += fragment.cells;
  return cells;
}

// Copies stored tiles. Returns false when they have to be decoded.
bool copy_sparse_tiles(const CopyTask& task, const Schema& schema, FragmentTarget& target) {
  if (!target.copies_tiles()) return false;
  const Work work = quiet(task.work);
  const std::uint64_t there = task.resumed ? cells_there(task.to) : 0, tiles = target.tiles();
  const std::uint64_t step =
      std::max<std::uint64_t>(1, task.fragment_bytes / saturated_product(schema.capacity, cell_bytes(schema)));
  // Every fragment but the last ends with a full tile.
  for (std::uint64_t first = (there + schema.capacity - 1) / schema.capacity; first < tiles; first += step) {
    const std::uint64_t count = std::min(step, tiles - first);
    task.passed += target.copy_tiles(first, count, work);
    if (task.work.progress) task.work.progress->advance(saturated_product(count, schema.capacity));
  }
  return true;
}

void copy_sparse(const CopyTask& task, const Schema& schema, bool sorted) {
  Query query;
  query.work = quiet(task.work);
  query.work.memory = task.work.memory / 4;
  query.order = Order::global;
  query.fields.emplace();
  for (const Dimension& d : task.source.from.schema().dimensions) query.fields->push_back(d.name);
  query.fields->insert(query.fields->end(), task.source.fields.begin(), task.source.fields.end());
  if (task.resumed) query.skip = cells_there(task.to);
  WriteOptions options;
  options.work = quiet(task.work);
  options.order = sorted ? Order::global : Order::unordered;
  const std::uint64_t cell = cell_bytes(schema);
  std::uint64_t bytes = 0;
  std::unique_ptr<CellWriter> writer;
  const std::unique_ptr<BatchStream> batches = task.source.from.query(query);
  while (std::optional<Batch> batch = batches->next()) {
    task.work.check();
    if (batch->cells == 0) continue;
    for (Column& column : batch->columns)
      if (const Attribute* attribute = schema.attribute(column.name)) shape_column(column, *attribute);
    if (!sorted) {
      task.to.write(*batch, options);
    } else {
      if (!writer) writer = task.to.write_stream(std::nullopt, options);
      writer->write(*batch);
      bytes += saturated_product(batch->cells, cell);
      if (bytes >= task.fragment_bytes) {
        std::exchange(writer, nullptr)->commit();
        bytes = 0;
      }
    }
    if (task.work.progress) task.work.progress->advance(batch->cells);
  }
  if (writer) writer->commit();
}

}  // namespace

void copy_dense_fragments(const CopyTask& task) { DenseCopy(task).run(); }

void copy_sparse_fragments(const CopyTask& task) {
  const Schema schema = task.to.schema();
  const std::unique_ptr<FragmentTarget> target = fragments_of(task);
  const bool sorted = target->in_order();
  ResumeNote& note = task.note;
  if (!task.resumed) keep_note(task);
  if (note.done == 0) {
    if (task.work.progress) task.work.progress->begin("copying cells", 0);
    if (!sorted || !copy_sparse_tiles(task, schema, *target)) copy_sparse(task, schema, sorted);
    if (task.work.progress) task.work.progress->end();
  }
  if (sorted || task.to.info().fragments.size() < 2) return;
  // Consolidation sorts cells that were copied in another order. From here on their number says nothing about progress.
  note.done = 1;
  keep_note(task);
  target->merge(task.work);
}

}  // namespace tegula
