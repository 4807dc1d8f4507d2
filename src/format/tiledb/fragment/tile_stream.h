// Tiles of fixed-size cells that are decoded chunk by chunk.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "format/tiledb/fragment/tile_source.h"
#include "tegula/bytes.h"
#include "tegula/work.h"

namespace tegula::tiledb {

// Receives the bytes of one tile chunk by chunk, in any order, from several threads at once.
class TileSink {
 public:
  virtual ~TileSink() = default;
  // Chunks for which this is false are not decoded.
  virtual bool wants(std::uint64_t begin, std::uint64_t end) const = 0;
  // Memory of exactly end - begin bytes to decode into, or empty: then take() gets the bytes.
  virtual MutableBytes place(std::uint64_t begin, std::uint64_t end) = 0;
  virtual void take(std::uint64_t begin, ByteView bytes) = 0;
  // Appends the memory for all of the bytes begin .. end, in order. False when there is none, or only many small
  // pieces.
  virtual bool pieces(std::uint64_t /*begin*/, std::uint64_t /*end*/, std::vector<MutableBytes>& /*out*/) {
    return false;
  }
};

// Fixed-size cells, or the validity bytes, of a tile.
struct TileStream {
  TileRef ref;
  bool validity = false;
  TileSink* sink = nullptr;
};
// Streams tiles through memory of a few chunks per thread, whatever the size of a tile. For fixed-size fields and
// validity.
void stream_tiles(const ArrayFiles& files, std::span<const TileStream> tiles, const Work& work);

}  // namespace tegula::tiledb
