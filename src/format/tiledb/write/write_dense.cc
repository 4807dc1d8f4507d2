#include "format/tiledb/write/write_dense.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/fail.h"
#include "format/tiledb/disk/versions.h"
#include "format/tiledb/write/write_input.h"
#include "model/strided.h"

namespace tegula::tiledb {

namespace {

constexpr std::uint64_t kPadding = std::numeric_limits<std::uint64_t>::max();

// Strides in cells of a contiguous box.
std::vector<std::int64_t> packed_strides(std::span<const std::uint64_t> shape, Order order) {
  return contiguous_strides(shape, 1, order == Order::col);
}

// Where the cells of a tile lie in the input, as multiples of an item.
struct Places {
  std::int64_t base = 0;
  std::vector<std::int64_t> strides;
};

class DenseWrite {
 public:
  DenseWrite(const ArraySchema& schema, const DenseBox& box)
      : schema_(schema),
        grid_(make_grid(schema_)),
        box_(box),
        tiles_(grid_, box_),
        version_(written_version(schema_)) {}

  // Takes the cells of a batch in row, col or global order.
  void take(const Batch& batch, Order order) {
    columns_ = input_columns(schema_, batch, false);
    for (std::size_t i = 0; i < schema_.attributes.size(); ++i) check_data_order(schema_.attributes[i], *columns_[i]);
    order_ = order;
    if (order != Order::global) {
      strides_ = packed_strides(box_.count, order);
      reverse();
      return;
    }
    if (std::find(box_.reversed.begin(), box_.reversed.end(), true) != box_.reversed.end())
      fail(ErrorKind::invalid_argument, "a reversed selection has no global order");
    std::uint64_t at = 0;
    for (std::uint64_t tile = 0; tile < tiles_.tiles(); ++tile) {
      starts_.push_back(at);
      at += tiles_.part(tile).cells;
    }
  }

  // Takes the caller's memory. Strides are in bytes.
  void take(const StridedView& values) {
    data_ = values.data;
    std::size_t axis = 0;
    for (std::size_t d = 0; d < grid_.dimensions(); ++d)
      strides_.push_back(box_.dropped[d] ? 0 : values.strides[axis++]);
    reverse();
  }

  // Takes the next tiles, in global order; returns their number.
  std::uint64_t take_tiles(const Batch& batch) {
    columns_ = input_columns(schema_, batch, false);
    order_ = Order::global;
    first_ += starts_.size();
    starts_.clear();
    std::uint64_t at = 0;
    while (at < batch.cells) {
      starts_.push_back(at);
      at += tiles_.part(first_ + starts_.size() - 1).cells;
    }
    return starts_.size();
  }

  void add_to(FragmentWriter& writer, const Work& work) const { add_to(writer, tiles_.tiles(), work); }
  void add_to(FragmentWriter& writer, std::uint64_t count, const Work& work) const {
    const std::vector<StoredField>& fields = writer.fields();
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < fields.size(); ++i)
      bytes += fields[i].var() ? columns_[i]->bytes() / count : fields[i].cell_size() * grid_.tile_cells;
    writer.add_tiles(
        count, bytes,
        [&](std::uint64_t tile, std::size_t field, TileColumn& out) { fill(fields[field], field, first_ + tile, out); },
        work);
  }

 private:
  // A reversed axis starts at its last cell.
  void reverse() {
    for (std::size_t d = 0; d < strides_.size(); ++d) {
      if (!box_.reversed[d]) continue;
      base_ += static_cast<std::int64_t>(box_.count[d] - 1) * strides_[d];
      strides_[d] = -strides_[d];
    }
  }

  // Where the cells of a tile lie in the input.
  Places places(std::uint64_t tile, const BoxPart& part) const {
    if (order_ == Order::global)
      return {static_cast<std::int64_t>(starts_[tile - first_]), packed_strides(part.count, grid_.cell_order)};
    Places places{base_, strides_};
    for (std::size_t d = 0; d < strides_.size(); ++d)
      places.base += static_cast<std::int64_t>(part.in_box[d]) * strides_[d];
    return places;
  }

  std::vector<std::int64_t> tile_strides(std::size_t item) const {
    std::vector<std::int64_t> strides;
    for (const std::uint64_t stride : grid_.stride) strides.push_back(static_cast<std::int64_t>(stride * item));
    return strides;
  }
  std::uint64_t first_cell(const BoxPart& part) const {
    return std::inner_product(part.in_tile.begin(), part.in_tile.end(), grid_.stride.begin(), std::uint64_t{0});
  }

  // Copies cells of `item` bytes from `from` to their places in a tile.
  void copy(const BoxPart& part, const Places& places, std::size_t scale, const std::byte* from, std::size_t item,
            Bytes& out) const {
    std::vector<std::int64_t> strides = places.strides;
    for (std::int64_t& stride : strides) stride *= static_cast<std::int64_t>(scale);
    copy_box(out.data() + first_cell(part) * item, tile_strides(item),
             from + places.base * static_cast<std::int64_t>(scale), strides, part.count, item);
  }

  void fill(const StoredField& field, std::size_t index, std::uint64_t tile, TileColumn& out) const {
    const BoxPart part = tiles_.part(tile);
    const Places from = places(tile, part);
    const Column* column = columns_.empty() ? nullptr : columns_[index];
    const bool whole = part.cells == grid_.tile_cells;
    if (!whole && has_tile_statistics(version_)) out.counted = tiles_.runs(part);
    if (field.var()) {
      make_var(field, index, part, from, out);
    } else {
      const std::size_t item = field.cell_size();
      out.data.resize(grid_.tile_cells * item);
      if (!whole) pad(schema_.attributes[index].fill, item, out.data);
      copy(part, from, column ? item : 1, column ? column->data.data() : data_, item, out.data);
    }
    if (!field.nullable) return;
    out.validity.assign(grid_.tile_cells, std::byte{0});
    if (column && column->nullable) {
      copy(part, from, 1, column->validity.data(), 1, out.validity);
      for (std::byte& valid : out.validity) valid = std::byte{valid != std::byte{0}};
    } else {
      fill_box(out.validity.data() + first_cell(part), tile_strides(1), part.count, bytes_of("\1"));
    }
  }

  // Fills cells of a stored tile that lie outside of the box: with zeros, before version 9 with the fill value.
  void pad(ByteView fill, std::size_t item, Bytes& out) const {
    if (zero_padding(version_))
      std::fill(out.begin(), out.end(), std::byte{0});
    else
      for (std::size_t at = 0; at < out.size(); at += item)
        std::copy(fill.begin(), fill.end(), out.begin() + static_cast<std::ptrdiff_t>(at));
  }

  void make_var(const StoredField& field, std::size_t index, const BoxPart& part, const Places& from,
                TileColumn& out) const {
    const Column& column = *columns_[index];
    const std::vector<std::uint64_t> cells = input_cells(part, from);
    const Bytes zero(field.type.size, std::byte{0});
    const ByteView padding = zero_padding(version_) ? ByteView(zero) : ByteView(schema_.attributes[index].fill);
    out.offsets.resize(cells.size());
    std::uint64_t bytes = 0;
    const auto cell = [&](std::size_t i) { return cells[i] == kPadding ? padding : column.cell(cells[i]); };
    for (std::size_t i = 0; i < cells.size(); ++i) {
      out.offsets[i] = bytes;
      bytes += cell(i).size();
    }
    out.data.resize(bytes);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const ByteView value = cell(i);
      std::copy(value.begin(), value.end(), out.data.begin() + static_cast<std::ptrdiff_t>(out.offsets[i]));
    }
  }

  // Calls f(first cell in the tile, first cell of the input) for each line of the part along the fastest dimension.
  template <class F>
  void for_lines(const BoxPart& part, const Places& from, F&& f) const {
    const std::size_t n = grid_.dimensions();
    std::vector<std::uint64_t> at(n, 0);
    for (;;) {
      std::uint64_t cell = 0;
      std::int64_t input = from.base;
      for (std::size_t d = 0; d < n; ++d) {
        cell += (part.in_tile[d] + at[d]) * grid_.stride[d];
        input += static_cast<std::int64_t>(at[d]) * from.strides[d];
      }
      f(cell, input);
      std::size_t i = n - 1;  // the fastest is a line
      for (; i > 0; --i) {
        const std::size_t d = grid_.order[i - 1];
        if (++at[d] < part.count[d]) break;
        at[d] = 0;
      }
      if (i == 0) return;
    }
  }

  std::vector<std::uint64_t> input_cells(const BoxPart& part, const Places& from) const {
    std::vector<std::uint64_t> cells(grid_.tile_cells, kPadding);
    const std::size_t fastest = grid_.order.back();
    for_lines(part, from, [&](std::uint64_t cell, std::int64_t input) {
      for (std::uint64_t i = 0; i < part.count[fastest]; ++i)
        cells[cell + i] = static_cast<std::uint64_t>(input + static_cast<std::int64_t>(i) * from.strides[fastest]);
    });
    return cells;
  }

  const ArraySchema& schema_;
  const DenseGrid grid_;
  const DenseBox& box_;
  const BoxTiles tiles_;
  const std::uint32_t version_;
  // A batch, or plain memory.
  std::vector<const Column*> columns_;
  const std::byte* data_ = nullptr;
  Order order_ = Order::row;
  std::int64_t base_ = 0;
  std::vector<std::int64_t> strides_;  // in cells for a batch, in bytes for memory
  std::vector<std::uint64_t> starts_;  // global order: first cell of each tile
  std::uint64_t first_ = 0;            // the first tile of the input
};

}  // namespace

struct DenseTileWriter::Impl {
  Impl(const WriteTarget& to, const DenseBox& cells, const FragmentTimes& times)
      : target(to),
        box(cells),
        write(*target.schema, box),
        writer(std::make_unique<FragmentWriter>(target, true, times)) {}
  const WriteTarget target;
  const DenseBox box;
  DenseWrite write;
  std::unique_ptr<FragmentWriter> writer;
};

DenseTileWriter::DenseTileWriter(const WriteTarget& target, const DenseBox& box, const FragmentTimes& times)
    : impl_(std::make_unique<Impl>(target, box, times)) {}
DenseTileWriter::~DenseTileWriter() = default;

void DenseTileWriter::add(const Batch& cells, const Work& work) {
  if (cells.cells == 0) return;
  const std::uint64_t count = impl_->write.take_tiles(cells);
  impl_->write.add_to(*impl_->writer, count, work);
}

std::unique_ptr<FragmentWriter> DenseTileWriter::finish() && {
  impl_->writer->finish(dense_cover(*impl_->target.schema, impl_->box));
  return std::move(impl_->writer);
}

void add_dense_tiles(FragmentWriter& writer, const ArraySchema& schema, const DenseBox& box, const Batch& cells,
                     Order order, const Work& work) {
  DenseWrite write(schema, box);
  write.take(cells, order);
  write.add_to(writer, work);
}

void add_dense_tiles(FragmentWriter& writer, const ArraySchema& schema, const DenseBox& box, const StridedView& values,
                     const Work& work) {
  if (schema.attributes[0].var())
    fail(ErrorKind::invalid_argument, "attribute '{}' has cells of any size; write them as a batch",
         schema.attributes[0].name);
  DenseWrite write(schema, box);
  write.take(values);
  write.add_to(writer, work);
}

void check_dense_order(Order order) {
  if (order != Order::row && order != Order::col && order != Order::global)
    fail(ErrorKind::invalid_argument, "dense cells are in row, col or global order");
}

void write_dense(const WriteTarget& target, const DenseBox& box, const Batch& cells, std::uint64_t time,
                 const WriteOptions& options) {
  if (cells.cells != box.cells())
    fail(ErrorKind::invalid_argument, "{} cells for a selection of {}", cells.cells, box.cells());
  if (cells.shape && options.order != Order::global && *cells.shape != box.shape())
    fail(ErrorKind::invalid_argument, "the cells have another shape than the selection");
  check_dense_order(options.order);
  if (cells.cells == 0) return;
  FragmentWriter writer(target, true, time);
  add_dense_tiles(writer, *target.schema, box, cells, options.order, options.work);
  writer.commit(dense_cover(*target.schema, box));
}

void write_dense(const WriteTarget& target, const DenseBox& box, const StridedView& values, std::uint64_t time,
                 const WriteOptions& options) {
  const ArraySchema& schema = *target.schema;
  if (values.shape != box.shape() || values.strides.size() != values.shape.size())
    fail(ErrorKind::invalid_argument, "the values have another shape than the selection");
  if (box.cells() == 0) return;
  FragmentWriter writer(target, true, time);
  add_dense_tiles(writer, schema, box, values, options.work);
  writer.commit(dense_cover(schema, box));
}

}  // namespace tegula::tiledb
