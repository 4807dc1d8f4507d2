// A fragment is written tile by tile, so the cells must come in an order that completes tiles: rows of tiles where such
// a row fits the memory, else single tiles, whose cells are put in order here.
#include <algorithm>
#include <utility>

#include "base/product.h"
#include "convert/blocks.h"
#include "convert/convert.h"
#include "convert/copy.h"
#include "convert/written_boxes.h"
#include "format/tiledb/array.h"
#include "format/tiledb/disk/versions.h"
#include "format/tiledb/pass_tiles.h"
#include "query/columns/gather.h"
#include "tegula/tiledb.h"

namespace tegula {

namespace {

using Extents = std::vector<std::uint64_t>;

Work quiet(const Work& work) {
  Work out = work;
  out.progress = nullptr;
  return out;
}

// Positions in a row-major block of the cells of a box in it, in row or column order.
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

class DenseCopy {
 public:
  explicit DenseCopy(const Copy& copy)
      : copy_(copy),
        schema_(copy.to.schema()),
        tile_(schema_.chunks()),
        by_columns_(schema_.tile_order == Order::col && tile_.size() > 1),
        slowest_(by_columns_ ? tile_.size() - 1 : 0),
        cell_(cell_bytes(schema_)),
        budget_(copy.work.memory / 4),
        pass_(copy.may_pass ? tiledb::TilePass::between(copy.from, copy.sources, copy.to, quiet(copy.work)) : nullptr) {
    for (std::uint64_t& extent : tile_) extent = std::max<std::uint64_t>(1, extent);
  }

  void run() {
    ConversionRecord& record = copy_.record;
    if (!copy_.resumed) record.block_cells = std::max<std::uint64_t>(1, copy_.fragment_bytes / cell_);
    std::vector<CellBox> pieces;
    for (const CellBox& box : copy_.boxes) cut(box, record.block_cells, pieces);
    check_blocks(copy_, pieces.size());
    if (!copy_.resumed) write_conversion(copy_.store, record);
    Progress* const progress = copy_.work.progress;
    std::uint64_t length = 0, there = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      length += pieces[i].count[slowest_];
      if (i < record.done) there += pieces[i].count[slowest_];
    }
    if (progress) progress->begin("copying", length);
    if (progress) progress->advance(there);
    while (record.done < pieces.size()) {
      fragment(pieces[record.done]);
      ++record.done;
      // The last one is followed by the end of the note.
      if (record.done < record.blocks) write_conversion(copy_.store, record);
    }
    if (progress) progress->end();
  }

 private:
  // Of all tiles that lie side by side.
  std::uint64_t row_cells(const CellBox& box) const {
    std::uint64_t cells = tile_[slowest_];
    for (std::size_t i = 0; i < tile_.size(); ++i)
      if (i != slowest_) cells = saturated_product(cells, box.count[i]);
    return cells;
  }

  // Into fragments of about so many cells.
  void cut(const CellBox& box, std::uint64_t cells, std::vector<CellBox>& out) const {
    const std::uint64_t rows = saturated_product(std::max<std::uint64_t>(1, cells / row_cells(box)), tile_[slowest_]);
    CellBox piece = box;
    for (std::uint64_t left = box.count[slowest_]; left > 0; left -= piece.count[slowest_]) {
      piece.first[slowest_] = box.first[slowest_] + (box.count[slowest_] - left);
      piece.count[slowest_] = rows_until(piece.first[slowest_], rows, left);
      out.push_back(piece);
    }
  }

  // Steps end where tiles end.
  std::uint64_t rows_until(std::uint64_t first, std::uint64_t step, std::uint64_t left) const {
    return std::min(left, step - first % tile_[slowest_]);
  }

  // Axes as they are, or slowest first.
  Extents turned(Extents extents) const {
    if (by_columns_) std::reverse(extents.begin(), extents.end());
    return extents;
  }
  CellBox turned(const CellBox& box) const { return {turned(box.first), turned(box.count)}; }

  Batch read(const CellBox& box, Order order) const {
    copy_.work.check();
    Query query;
    query.fields = copy_.sources;
    ask_for(query, copy_.from.schema(), box);
    query.order = order;
    query.work = quiet(copy_.work);
    Batch batch = collect(*copy_.from.query(query));
    for (std::size_t i = 0; i < copy_.sources.size(); ++i) shape_column(batch.columns.at(i), schema_.attributes.at(i));
    return batch;
  }

  void fragment(const CellBox& box) const {
    if (pass_) {
      copy_.passed += pass_->copy_box(
          box.first, box.count,
          [&](const Extents& first, const Extents& count) { return read({first, count}, Order::global); }, copy_.work);
      return;
    }
    const bool in_rows = !by_columns_ && (saturated_product(row_cells(box), cell_) <= budget_ || tile_.size() == 1);
    WriteOptions options;
    options.work = quiet(copy_.work);
    std::uint64_t tile_bytes = saturated_product(cell_, 8);
    for (const std::uint64_t extent : tile_) tile_bytes = saturated_product(tile_bytes, extent);
    options.work.memory = std::max(options.work.memory, tile_bytes);
    options.order = in_rows ? Order::row : Order::global;
    const std::unique_ptr<CellWriter> writer =
        tiledb::tiledb_array(copy_.to).write_box_stream(box.first, box.count, options);
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
      if (copy_.work.progress) copy_.work.progress->advance(box.count[0]);
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
    if (copy_.work.progress) copy_.work.progress->advance(box.count[slowest_]);
  }

  const Copy& copy_;
  const Schema schema_;
  Extents tile_;
  const bool by_columns_;
  const std::size_t slowest_;
  const std::uint64_t cell_;
  const std::uint64_t budget_;
  const std::unique_ptr<tiledb::TilePass> pass_;
};

// Are the cells stored in the global order of `to`?
bool same_order(const Array& from, const Schema& to) {
  const Schema& schema = from.schema();
  const std::vector<Dimension>& dimensions = schema.dimensions;
  const bool mixed = std::any_of(dimensions.begin(), dimensions.end(),
                                 [&](const Dimension& d) { return d.type != dimensions.front().type; });
  for (const FragmentInfo& fragment : from.info().fragments) {
    if (schema.cell_order == Order::hilbert &&
        tiledb::hilbert_by_range(fragment.version) != tiledb::hilbert_by_range(to.format_version))
      return false;
    if (mixed && !tiledb::mixed_types_in_order(fragment.version)) return false;
  }
  return schema.tile_order == to.tile_order && schema.cell_order == to.cell_order &&
         std::equal(dimensions.begin(), dimensions.end(), to.dimensions.begin(), to.dimensions.end(),
                    [](const Dimension& x, const Dimension& y) {
                      return x.type == y.type && x.domain == y.domain && x.tile == y.tile;
                    });
}

std::uint64_t cells_there(const Array& to) {
  std::uint64_t cells = 0;
  for (const FragmentInfo& fragment : to.info().fragments) cells += fragment.cells;
  return cells;
}

// False when the tiles have to be decoded.
bool pass_sparse(const Copy& copy, const Schema& schema) {
  if (!copy.may_pass) return false;
  const Work work = quiet(copy.work);
  const std::unique_ptr<tiledb::TilePass> pass = tiledb::TilePass::between(copy.from, copy.sources, copy.to, work);
  if (!pass) return false;
  const std::uint64_t there = copy.resumed ? cells_there(copy.to) : 0, tiles = pass->tiles();
  const std::uint64_t step =
      std::max<std::uint64_t>(1, copy.fragment_bytes / saturated_product(schema.capacity, cell_bytes(schema)));
  // All fragments but the last are of whole tiles.
  for (std::uint64_t first = (there + schema.capacity - 1) / schema.capacity; first < tiles; first += step) {
    const std::uint64_t count = std::min(step, tiles - first);
    copy.passed += pass->copy_tiles(first, count, work);
    if (copy.work.progress) copy.work.progress->advance(saturated_product(count, schema.capacity));
  }
  return true;
}

void copy_sparse(const Copy& copy, const Schema& schema, bool sorted) {
  Query query;
  query.work = quiet(copy.work);
  query.work.memory = copy.work.memory / 4;
  query.order = Order::global;
  query.fields.emplace();
  for (const Dimension& d : copy.from.schema().dimensions) query.fields->push_back(d.name);
  query.fields->insert(query.fields->end(), copy.sources.begin(), copy.sources.end());
  if (copy.resumed) query.skip = cells_there(copy.to);
  WriteOptions options;
  options.work = quiet(copy.work);
  options.order = sorted ? Order::global : Order::unordered;
  const std::uint64_t cell = cell_bytes(schema);
  std::uint64_t bytes = 0;
  std::unique_ptr<CellWriter> writer;
  const std::unique_ptr<BatchStream> batches = copy.from.query(query);
  while (std::optional<Batch> batch = batches->next()) {
    copy.work.check();
    if (batch->cells == 0) continue;
    for (Column& column : batch->columns)
      if (const Attribute* attribute = schema.attribute(column.name)) shape_column(column, *attribute);
    if (!sorted) {
      copy.to.write(*batch, options);
    } else {
      if (!writer) writer = copy.to.write_stream(std::nullopt, options);
      writer->write(*batch);
      bytes += saturated_product(batch->cells, cell);
      if (bytes >= copy.fragment_bytes) {
        std::exchange(writer, nullptr)->commit();
        bytes = 0;
      }
    }
    if (copy.work.progress) copy.work.progress->advance(batch->cells);
  }
  if (writer) writer->commit();
}

}  // namespace

void stream_dense_cells(const Copy& copy) { DenseCopy(copy).run(); }

void stream_sparse_cells(const Copy& copy) {
  const Schema schema = copy.to.schema();
  const bool sorted = same_order(copy.from, schema);
  ConversionRecord& record = copy.record;
  if (!copy.resumed) write_conversion(copy.store, record);
  if (record.done == 0) {
    if (copy.work.progress) copy.work.progress->begin("copying cells", 0);
    if (!sorted || !pass_sparse(copy, schema)) copy_sparse(copy, schema, sorted);
    if (copy.work.progress) copy.work.progress->end();
  }
  if (sorted || copy.to.info().fragments.size() < 2) return;
  // Cells that came in another order are sorted by the merge. From here on their number says nothing about progress.
  record.done = 1;
  write_conversion(copy.store, record);
  tiledb::ConsolidateOptions merge;
  merge.keep_times = false;
  merge.work = copy.work;
  tiledb::consolidate(copy.to, merge);
  tiledb::VacuumOptions rest;
  rest.work = quiet(copy.work);
  tiledb::vacuum(copy.to, rest);
}

}  // namespace tegula
