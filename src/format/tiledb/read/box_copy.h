// Copying boxes of cells from a tile to a result, chunk by chunk as the tile is decoded.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "format/tiledb/fragment/tile_source.h"
#include "format/tiledb/fragment/tile_stream.h"
#include "format/tiledb/order/dense_grid.h"

namespace tegula::tiledb {

// Cells of a tile and their places in a result: one run per dimension. `start` counts from the start of the tile.
using Box = std::vector<Run>;

// Where element 0 of a result lies, and the byte strides of all its dimensions, dropped ones included.
struct Target {
  std::byte* data = nullptr;
  std::vector<std::int64_t> strides;
  std::size_t item = 1;  // bytes of a cell
};

// Copies the cells of the box; `cells` holds the cells begin .. end of the tile, in its cell order.
void copy_cells(const DenseGrid& grid, const Box& box, std::uint64_t begin, std::uint64_t end, const std::byte* cells,
                const Target& target);
void fill_cells(const Box& box, ByteView cell, const Target& target);
// Whether the box has any of the cells begin .. end of the tile.
bool touches(const DenseGrid& grid, const Box& box, std::uint64_t begin, std::uint64_t end);

// Copies the boxes out of the chunks of a tile. Borrows everything.
class BoxSink final : public TileSink {
 public:
  BoxSink(const DenseGrid& grid, std::span<const Box> boxes, const Target& target);
  bool wants(std::uint64_t begin, std::uint64_t end) const override;
  MutableBytes place(std::uint64_t begin, std::uint64_t end) override;
  void take(std::uint64_t begin, ByteView bytes) override;
  bool pieces(std::uint64_t begin, std::uint64_t end, std::vector<MutableBytes>& out) override;

 private:
  void find_rows();

  const DenseGrid& grid_;
  std::span<const Box> boxes_;
  const Target& target_;
  // Set when the result is laid out like the tile: the tile's cells direct_first_ .. direct_first_ + direct_cells_
  // start at direct_.
  std::byte* direct_ = nullptr;
  std::uint64_t direct_first_ = 0, direct_cells_ = 0;
  // Set when the result holds the whole tile: rows of row_bytes_ bytes, whose places follow from the first row_levels_
  // of grid.order.
  std::uint64_t row_bytes_ = 0;
  std::size_t row_levels_ = 0;
};

}  // namespace tegula::tiledb
