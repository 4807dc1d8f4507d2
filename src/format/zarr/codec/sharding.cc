#include "format/zarr/codec/sharding.h"

#include <algorithm>

#include "base/cursor.h"
#include "format/zarr/codec/cell_positions.h"
#include "format/zarr/codec/variable_cells.h"
#include "model/strided.h"

namespace tegula::zarr {

namespace {

// The most cells of any length in a shard, so that a damaged shape cannot make us allocate too much.
constexpr std::uint64_t kLargestShard = std::uint64_t{1} << 28;

const CellType& index_cell() {
  static const CellType cell{Datatype(TypeId::uint64), false, Bytes(8, std::byte{0xff})};
  return cell;
}

Shape index_shape(const Shape& grid) {
  Shape shape = grid;
  shape.push_back(2);
  return shape;
}

Shape corner_of(std::uint64_t i, const Shape& grid, const Shape& inner) {
  Shape corner = unravel(i, grid);
  for (std::size_t a = 0; a < corner.size(); ++a) corner[a] *= inner[a];
  return corner;
}

ByteView index_part(const Sharding& sharding, const Shape& shape, ByteView shard) {
  const std::uint64_t size = shard_index_size(sharding, shape);
  if (shard.size() < size)
    fail(ErrorKind::corrupt, "the shard has {} bytes, its index alone needs {}", shard.size(), size);
  return sharding.index_at_end ? shard.last(size) : shard.first(size);
}

// Calls visit(corner, entry) for every chunk of a shard.
template <class Visit>
void each_chunk(const Sharding& sharding, ByteView shard, const Shape& shape, Visit visit) {
  const Shape grid = shard_grid(sharding, shape);
  const auto entries = decode_shard_index(sharding, shape, index_part(sharding, shape, shard), shard.size());
  for (std::uint64_t i = 0; i < entries.size(); ++i) visit(corner_of(i, grid, sharding.chunk_shape), entries[i]);
}

// Writes the chunks in grid order, and the index behind or before them.
class ShardWriter {
 public:
  ShardWriter(const Sharding& sharding, const Shape& shape) : sharding_(sharding), grid_(shard_grid(sharding, shape)) {
    if (!sharding.index_at_end) out_.resize(shard_index_size(sharding, shape));
  }
  void add(const Bytes& chunk) {
    put(out_.size());
    put(chunk.size());
    ByteWriter(out_).bytes(chunk);
  }
  void add_missing() {
    put(ShardEntry::kMissing);
    put(ShardEntry::kMissing);
  }
  Bytes finish() {
    const Bytes index = encode_chunk(sharding_.index, index_, index_shape(grid_), index_cell());
    if (sharding_.index_at_end)
      ByteWriter(out_).bytes(index);
    else
      std::copy(index.begin(), index.end(), out_.begin());
    return std::move(out_);
  }
  const Shape& grid() const { return grid_; }

 private:
  void put(std::uint64_t value) { ByteWriter(index_).put<std::uint64_t>(value); }

  const Sharding& sharding_;
  Shape grid_;
  Bytes out_, index_;
};

bool all_fill(ByteView cells, ByteView fill) {
  for (std::size_t at = 0; at < cells.size(); at += fill.size())
    if (!std::equal(fill.begin(), fill.end(), cells.begin() + static_cast<std::ptrdiff_t>(at))) return false;
  return true;
}

}  // namespace

Shape shard_grid(const Sharding& sharding, const Shape& shape) {
  Shape grid;
  for (std::size_t a = 0; a < shape.size(); ++a) {
    if (sharding.chunk_shape[a] == 0 || shape[a] % sharding.chunk_shape[a] != 0)
      fail(ErrorKind::corrupt, "chunks of {} do not divide a shard of {} along axis {}", sharding.chunk_shape[a],
           shape[a], a);
    grid.push_back(shape[a] / sharding.chunk_shape[a]);
  }
  return grid;
}

std::uint64_t shard_index_size(const Sharding& sharding, const Shape& shape) {
  return encoded_size(sharding.index.steps, 16 * cell_count(shard_grid(sharding, shape))).value();
}

std::vector<ShardEntry> decode_shard_index(const Sharding& sharding, const Shape& shape, ByteView encoded,
                                           std::uint64_t shard_size) {
  const Shape grid = shard_grid(sharding, shape);
  Bytes raw(16 * cell_count(grid));
  decode_chunk(sharding.index, encoded, index_shape(grid), index_cell(), raw);
  std::vector<ShardEntry> entries(cell_count(grid));
  Cursor in(raw, "shard index");
  for (std::size_t i = 0; i < entries.size(); ++i) {
    ShardEntry& entry = entries[i];
    entry.offset = in.read<std::uint64_t>();
    entry.length = in.read<std::uint64_t>();
    if (!entry.missing() && (entry.offset > shard_size || entry.length > shard_size - entry.offset))
      fail(ErrorKind::corrupt, "the shard index places chunk {} at {}+{}, the shard has {} bytes", i, entry.offset,
           entry.length, shard_size);
  }
  return entries;
}

void decode_shard(const Sharding& sharding, ByteView shard, const Shape& shape, const CellType& cell,
                  MutableBytes out) {
  const std::size_t item = cell.item();
  const auto strides = contiguous_strides(shape, item);
  const auto inner_strides = contiguous_strides(sharding.chunk_shape, item);
  Bytes chunk(cell_count(sharding.chunk_shape) * item);
  each_chunk(sharding, shard, shape, [&](const Shape& corner, const ShardEntry& entry) {
    std::byte* to = out.data();
    for (std::size_t a = 0; a < corner.size(); ++a) to += static_cast<std::int64_t>(corner[a]) * strides[a];
    if (entry.missing()) return fill_box(to, strides, sharding.chunk_shape, cell.fill);
    decode_chunk(sharding.inner, shard.subspan(entry.offset, entry.length), sharding.chunk_shape, cell, chunk);
    copy_box(to, strides, chunk.data(), inner_strides, sharding.chunk_shape, item);
  });
}

Bytes encode_shard(const Sharding& sharding, ByteView cells, const Shape& shape, const CellType& cell) {
  ShardWriter writer(sharding, shape);
  const std::size_t item = cell.item();
  const auto strides = contiguous_strides(shape, item);
  const auto inner_strides = contiguous_strides(sharding.chunk_shape, item);
  Bytes chunk(cell_count(sharding.chunk_shape) * item);
  for (std::uint64_t i = 0; i < cell_count(writer.grid()); ++i) {
    const Shape corner = corner_of(i, writer.grid(), sharding.chunk_shape);
    const std::byte* from = cells.data();
    for (std::size_t a = 0; a < corner.size(); ++a) from += static_cast<std::int64_t>(corner[a]) * strides[a];
    copy_box(chunk.data(), inner_strides, from, strides, sharding.chunk_shape, item);
    if (all_fill(chunk, cell.fill))
      writer.add_missing();
    else
      writer.add(encode_chunk(sharding.inner, chunk, sharding.chunk_shape, cell));
  }
  return writer.finish();
}

VariableCells decode_variable_shard(const Sharding& sharding, ByteView shard, const Shape& shape,
                                    const CellType& cell) {
  VariableCells found;  // in the order of the chunks; cell 0 is the fill value
  found.offsets.push_back(0);
  push_cell(found, cell.fill);
  if (cell_count(shape) > kLargestShard)
    fail(ErrorKind::corrupt, "a shard of {} cells of any length", cell_count(shape));
  std::vector<std::uint64_t> order(cell_count(shape), 0);
  each_chunk(sharding, shard, shape, [&](const Shape& corner, const ShardEntry& entry) {
    if (entry.missing()) return;
    const VariableCells items =
        decode_variable(sharding.inner, shard.subspan(entry.offset, entry.length), sharding.chunk_shape, cell);
    const auto places = box_positions(shape, corner, sharding.chunk_shape);
    for (std::size_t i = 0; i < places.size(); ++i) {
      order[places[i]] = count_cells(found);
      push_cell(found, cell_of(items, i));
    }
  });
  return pick_cells(found, order);
}

Bytes encode_variable_shard(const Sharding& sharding, const VariableCells& items, const Shape& shape,
                            const CellType& cell) {
  ShardWriter writer(sharding, shape);
  for (std::uint64_t i = 0; i < cell_count(writer.grid()); ++i) {
    const Shape corner = corner_of(i, writer.grid(), sharding.chunk_shape);
    const VariableCells chunk = pick_cells(items, box_positions(shape, corner, sharding.chunk_shape));
    bool filled = true;
    for (std::uint64_t c = 0; c < count_cells(chunk) && filled; ++c)
      filled = std::ranges::equal(cell_of(chunk, c), ByteView(cell.fill));
    if (filled)
      writer.add_missing();
    else
      writer.add(encode_variable(sharding.inner, chunk, sharding.chunk_shape, cell));
  }
  return writer.finish();
}

}  // namespace tegula::zarr
