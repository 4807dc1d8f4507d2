// Loading whole tiles of any field.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "format/tiledb/fragment/fragment.h"
#include "tegula/bytes.h"
#include "tegula/work.h"

namespace tegula::tiledb {

struct TileRef {
  const Fragment* fragment = nullptr;
  const StoredField* field = nullptr;
  std::uint64_t tile = 0;
};

// A whole tile. Dimensions of old fragments, which share one tile, come as columns of their own.
struct TileData {
  std::uint64_t cells = 0;
  Bytes data;                     // cells one after the other, or variable bytes
  Buffer<std::uint64_t> offsets;  // variable fields: cells + 1, never falling, inside of `data`
  Bytes validity;                 // nullable fields
};

enum class TileParts : std::uint8_t { all, data, validity };

// Fetches with few requests and decodes in parallel; the results are in the order of `refs`, which may repeat. Holds
// the stored and the decoded bytes of all of them at once: the caller keeps the batch below its budget (decoded_bytes).
// A missing file, and everything that does not add up, is Error(corrupt) with file and offset.
std::vector<TileData> load_tiles(const ArrayFiles& files, std::span<const TileRef> refs, const Work& work,
                                 TileParts parts = TileParts::all);
// The bytes that load_tiles holds for a tile: decoded, and as they are stored.
std::uint64_t decoded_bytes(const TileRef& ref);
std::uint64_t stored_bytes(const TileRef& ref);

}  // namespace tegula::tiledb
