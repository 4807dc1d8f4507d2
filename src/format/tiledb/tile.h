// A filtered tile: a count, then chunks of (raw length, filtered length, metadata length, metadata, data).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "format/tiledb/filter_plan.h"
#include "tegula/bytes.h"
#include "tegula/work.h"

namespace tegula::tiledb {

struct Chunk {
  std::uint64_t raw_offset = 0;  // in the tile
  std::uint32_t raw_size = 0;
  std::uint64_t file_offset = 0;  // of the chunk's header, for messages
  ByteView metadata, data;
};

// Where tile bytes come from, for messages.
struct TilePlace {
  std::string_view file;
  std::uint64_t offset = 0;
};

// Follows the lengths; borrows `tile`. Throws corrupt when they do not fit the bytes exactly, or their sum is not
// `raw_size`. A tile without chunks has size 0, whatever raw_size says, when `may_be_empty`.
std::vector<Chunk> parse_chunks(ByteView tile, const TilePlace& place, std::uint64_t raw_size,
                                bool may_be_empty = false);
// The same without a known size.
std::vector<Chunk> parse_chunks(ByteView tile, const TilePlace& place);
std::uint64_t raw_size(std::span<const Chunk> chunks);

// Decodes every chunk; out.size() must be the raw size. Adds file and offset to errors.
void decode_tile(const FilterPlan& plan, std::span<const Chunk> chunks, MutableBytes out, const TilePlace& place,
                 const Work& work);
void decode_one(const FilterPlan& plan, const Chunk& chunk, MutableBytes out, const TilePlace& place,
                FilterScratch& scratch);

// Cuts `raw` into chunks of whole cells as the format's versions from 5 on do, filters and appends them.
void encode_tile(const FilterPlan& plan, ByteView raw, std::uint64_t cell_size, Bytes& out, const Work& work);

}  // namespace tegula::tiledb
