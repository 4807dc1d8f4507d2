// A fragment is written tile by tile, so the cells must come in an order that completes tiles: rows of tiles where such
// a row fits the memory, else single tiles, whose cells are put in order here.
#include <algorithm>
#include <utility>

#include "convert/blocks.h"
#include "convert/convert.h"
#include "convert/copy.h"
#include "query/gather.h"
#include "tegula/tiledb.h"

namespace tegula {

namespace {

using Extents = std::vector<std::uint64_t>;

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

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
        shape_(schema_.shape()),
        tile_(schema_.chunks()),
        by_columns_(schema_.tile_order == Order::col && shape_.size() > 1),
        slowest_(by_columns_ ? shape_.size() - 1 : 0),
        cell_(cell_bytes(schema_)) {
    for (std::uint64_t& extent : tile_) extent = std::max<std::uint64_t>(1, extent);
    row_bytes_ = times(cell_, tile_[slowest_]);
    for (std::size_t i = 0; i < shape_.size(); ++i)
      if (i != slowest_) row_bytes_ = times(row_bytes_, shape_[i]);
    budget_ = copy.work.memory / 4;
    in_rows_ = !by_columns_ && (row_bytes_ <= budget_ || shape_.size() == 1);
  }

  void run() {
    ConversionRecord& record = copy_.record;
    if (!copy_.resumed)
      record.block_cells = times(std::max<std::uint64_t>(1, copy_.fragment_bytes / row_bytes_), tile_[slowest_]);
    const std::uint64_t length = shape_[slowest_];
    record.block_cells = std::clamp<std::uint64_t>(record.block_cells, 1, length);
    record.blocks = (length + record.block_cells - 1) / record.block_cells;
    if (!copy_.resumed) write_conversion(copy_.store, record);
    Progress* const progress = copy_.work.progress;
    if (progress) progress->begin("copying", length);
    if (progress) progress->advance(std::min(length, record.done * record.block_cells));
    while (record.done < record.blocks) {
      const std::uint64_t first = record.done * record.block_cells;
      fragment(first, std::min(record.block_cells, length - first));
      ++record.done;
      // The last one is followed by the end of the note.
      if (record.done < record.blocks) write_conversion(copy_.store, record);
    }
    if (progress) progress->end();
  }

 private:
  Selection box(const Extents& first, const Extents& count) const {
    Selection out;
    for (std::size_t i = 0; i < shape_.size(); ++i)
      out.axes.push_back(Slice{static_cast<std::int64_t>(first[i]), static_cast<std::int64_t>(first[i] + count[i]), 1});
    return out;
  }

  // Axes as they are, or slowest first.
  Extents turned(Extents extents) const {
    if (by_columns_) std::reverse(extents.begin(), extents.end());
    return extents;
  }

  Batch read(const Extents& first, const Extents& count) const {
    copy_.work.check();
    Query query;
    query.fields = copy_.sources;
    query.select = box(first, count);
    query.work = quiet(copy_.work);
    Batch batch = collect(*copy_.from.query(query));
    for (std::size_t i = 0; i < copy_.sources.size(); ++i) shape_column(batch.columns.at(i), schema_.attributes.at(i));
    return batch;
  }

  void fragment(std::uint64_t first_row, std::uint64_t rows) const {
    Extents first(shape_.size(), 0), count = shape_;
    first[slowest_] = first_row;
    count[slowest_] = rows;
    WriteOptions options;
    options.work = quiet(copy_.work);
    std::uint64_t tile_bytes = times(cell_, 8);
    for (const std::uint64_t extent : tile_) tile_bytes = times(tile_bytes, extent);
    options.work.memory = std::max(options.work.memory, tile_bytes);
    options.order = in_rows_ ? Order::row : Order::global;
    const std::unique_ptr<CellWriter> writer = copy_.to.write_stream(box(first, count), options);
    if (in_rows_)
      write_rows(*writer, first, count);
    else
      write_tiles(*writer, first, count);
    writer->commit();
  }

  void write_rows(CellWriter& writer, Extents first, Extents count) const {
    const std::uint64_t end = first[0] + count[0];
    const std::uint64_t step = times(std::max<std::uint64_t>(1, budget_ / row_bytes_), tile_[0]);
    for (; first[0] < end; first[0] += count[0]) {
      count[0] = std::min(step, end - first[0]);
      writer.write(read(first, count));
      if (copy_.work.progress) copy_.work.progress->advance(count[0]);
    }
  }

  void write_tiles(CellWriter& writer, const Extents& first, const Extents& count) const {
    const Blocks blocks(turned(count), turned(tile_), std::max<std::uint64_t>(1, budget_ / 2 / cell_));
    Buffer<std::uint64_t> positions;
    for (std::uint64_t i = 0; i < blocks.count(); ++i) {
      Extents start = turned(blocks.start(i));
      const Extents extent = turned(blocks.extent(i));
      for (std::size_t d = 0; d < start.size(); ++d) start[d] += first[d];
      Batch batch = read(start, extent);
      positions.clear();
      const Blocks tiles(turned(extent), turned(tile_), 1);
      for (std::uint64_t t = 0; t < tiles.count(); ++t)
        add_positions(positions, extent, turned(tiles.start(t)), turned(tiles.extent(t)), schema_.cell_order);
      for (Column& column : batch.columns) column = gather(column, positions);
      batch.shape.reset();
      writer.write(batch);
    }
    if (copy_.work.progress) copy_.work.progress->advance(count[slowest_]);
  }

  const Copy& copy_;
  const Schema schema_;
  const Extents shape_;
  Extents tile_;
  const bool by_columns_;
  const std::size_t slowest_;
  const std::uint64_t cell_;
  std::uint64_t row_bytes_ = 0;  // of all tiles that lie side by side
  std::uint64_t budget_ = 0;
  bool in_rows_ = true;
};

// Is the global order of the one that of the other?
bool same_order(const Schema& a, const Schema& b) {
  return a.tile_order == b.tile_order && a.cell_order == b.cell_order &&
         std::equal(a.dimensions.begin(), a.dimensions.end(), b.dimensions.begin(), b.dimensions.end(),
                    [](const Dimension& x, const Dimension& y) {
                      return x.type == y.type && x.domain == y.domain && x.tile == y.tile;
                    });
}

std::uint64_t cells_there(const Array& to) {
  std::uint64_t cells = 0;
  for (const FragmentInfo& fragment : to.info().fragments) cells += fragment.cells;
  return cells;
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
      bytes += times(batch->cells, cell);
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
  const bool sorted = same_order(copy.from.schema(), schema);
  ConversionRecord& record = copy.record;
  if (!copy.resumed) write_conversion(copy.store, record);
  if (record.done == 0) {
    if (copy.work.progress) copy.work.progress->begin("copying cells", 0);
    copy_sparse(copy, schema, sorted);
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
