// The chunk files of an array, found by listing.
#pragma once

#include "format/zarr/meta/array_meta.h"
#include "store/store.h"

namespace tegula::zarr {

struct ChunkFile {
  std::string key;
  std::uint64_t size = 0;
  Shape chunk;
};

struct ChunkListing {
  std::vector<ChunkFile> chunks;   // inside the grid
  std::vector<ChunkFile> outside;  // named like chunks, but outside of the grid
  std::vector<ChunkFile> others;   // neither chunks nor metadata
};

// Chunks along each axis of an array of this shape.
Shape chunk_grid(const Shape& shape, const Shape& chunks);
ChunkListing list_chunks(const Store& store, const ArrayMeta& meta);

}  // namespace tegula::zarr
