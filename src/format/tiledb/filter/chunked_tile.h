// A filtered tile: a count, then chunks of (raw length, filtered length, metadata length, metadata, data).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "format/tiledb/filter/filter_plan.h"
#include "format/tiledb/filter/filter_scratch.h"
#include "tegula/bytes.h"
#include "tegula/work.h"

namespace tegula::tiledb {

inline constexpr std::size_t kChunkHeaderSize = 12;
inline constexpr std::uint64_t kChunkLimit = 65536;  // raw bytes of the chunks that versions 5 and later cut

struct Chunk {
  std::uint64_t raw_offset = 0;  // in the tile
  std::uint32_t raw_size = 0;
  std::uint64_t file_offset = 0;  // of the chunk's header, for messages
  ByteView metadata, data;
};

// Where the bytes of a tile come from, for messages.
struct TilePlace {
  std::string_view file;
  std::uint64_t offset = 0;
};

// Finds the chunks of a tile, which it borrows. Throws corrupt unless their lengths add up to exactly these bytes.
std::vector<Chunk> parse_chunks(ByteView tile, const TilePlace& place);
std::uint64_t raw_size(std::span<const Chunk> chunks);
// Throws corrupt unless the chunks decode to `expected` bytes in total, and when a chunk claims too much.
void check_raw_size(std::span<const Chunk> chunks, std::uint64_t expected, const FilterPlan& plan,
                    const TilePlace& place);

// Throws corrupt when a chunk claims more bytes than its filters could produce.
void check_chunk_claim(const Chunk& chunk, const FilterPlan& plan, const TilePlace& place);

// Decode one chunk. Errors name the file and the offset of the chunk.
void decode_one(const FilterPlan& plan, const Chunk& chunk, MutableBytes out, const TilePlace& place,
                FilterScratch& scratch);
void decode_text_one(const FilterPlan& plan, const Chunk& chunk, MutableBytes out, std::span<std::uint64_t> offsets,
                     const TilePlace& place, FilterScratch& scratch);
// Decodes all chunks; out.size() must be the raw size.
void decode_tile(const FilterPlan& plan, std::span<const Chunk> chunks, MutableBytes out, const TilePlace& place,
                 ScratchPool& scratch, const Work& work);

// Lengths of the chunks into which cells of `cell_size` bytes are cut, and variable cells of values of `value_size`
// bytes. `offsets` holds the start of each cell. Versions 5 and later.
std::vector<std::uint64_t> cut_cells(std::uint64_t bytes, std::uint64_t cell_size);
std::vector<std::uint64_t> cut_var_cells(std::uint64_t bytes, std::span<const std::uint64_t> offsets,
                                         std::uint64_t value_size, std::uint32_t version);
// Cuts `raw` into chunks of these lengths, filters them and appends the tile to `out`.
void encode_tile(const FilterPlan& plan, ByteView raw, std::span<const std::uint64_t> chunks, Bytes& out,
                 ScratchPool& scratch, const Work& work);
// The same for text whose first filter stores the cell boundaries, in one chunk.
void encode_text_tile(const FilterPlan& plan, ByteView raw, std::span<const std::uint64_t> offsets, Bytes& out,
                      FilterScratch& scratch);

}  // namespace tegula::tiledb
