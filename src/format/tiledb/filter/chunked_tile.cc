#include "format/tiledb/filter/chunked_tile.h"

#include <algorithm>
#include <cstring>

#include "base/context.h"
#include "base/cursor.h"
#include "base/fail.h"
#include "base/parallel.h"
#include "format/tiledb/filter/filter_decode.h"
#include "format/tiledb/filter/filter_encode.h"

namespace tegula::tiledb {

namespace {

// A chunk that claims more than this per stored byte is damaged. Only repeated text can be stored in less.
constexpr std::uint64_t kBestRatio = 1 << 20;
constexpr std::size_t kChunksPerTask = 4;

void append_chunk(std::uint64_t raw, ByteView metadata, ByteView data, Bytes& out) {
  if (std::max({raw, std::uint64_t{metadata.size()}, std::uint64_t{data.size()}}) > UINT32_MAX)
    fail(ErrorKind::invalid_argument, "a chunk of {} bytes is too large for the format; write smaller tiles", raw);
  std::size_t at = out.size();
  out.resize(at + kChunkHeaderSize + metadata.size() + data.size());
  for (const std::size_t size : {static_cast<std::size_t>(raw), data.size(), metadata.size()}) {
    store_le<std::uint32_t>(out.data() + at, static_cast<std::uint32_t>(size));
    at += 4;
  }
  if (!metadata.empty()) std::memcpy(out.data() + at, metadata.data(), metadata.size());
  if (!data.empty()) std::memcpy(out.data() + at + metadata.size(), data.data(), data.size());
}

}  // namespace

std::vector<Chunk> parse_chunks(ByteView tile, const TilePlace& place) {
  Cursor in(tile, std::string(place.file), place.offset);
  std::vector<Chunk> chunks(in.count<std::uint64_t>(kChunkHeaderSize, "chunks"));
  std::uint64_t raw_offset = 0;
  for (Chunk& chunk : chunks) {
    chunk.raw_offset = raw_offset;
    chunk.file_offset = in.offset();
    chunk.raw_size = in.read<std::uint32_t>();
    const std::uint32_t data_size = in.read<std::uint32_t>();
    chunk.metadata = in.bytes(in.read<std::uint32_t>(), "chunk metadata");
    chunk.data = in.bytes(data_size, "chunk data");
    raw_offset += chunk.raw_size;
  }
  in.expect_end("the tile");
  return chunks;
}

std::uint64_t raw_size(std::span<const Chunk> chunks) {
  return chunks.empty() ? 0 : chunks.back().raw_offset + chunks.back().raw_size;
}

void check_raw_size(std::span<const Chunk> chunks, std::uint64_t expected, const FilterPlan& plan,
                    const TilePlace& place) {
  if (raw_size(chunks) != expected)
    fail(ErrorKind::corrupt, "{} at byte {}: a tile of {} bytes in {} chunks, expected {} bytes", place.file,
         place.offset, raw_size(chunks), chunks.size(), expected);
  for (const Chunk& chunk : chunks) check_chunk_claim(chunk, plan, place);
}

void check_chunk_claim(const Chunk& chunk, const FilterPlan& plan, const TilePlace& place) {
  if (chunk.raw_size / kBestRatio > chunk.data.size() && !may_carry_offsets(plan))
    fail(ErrorKind::corrupt, "{} at byte {}: a chunk claims {} bytes, found only {} of filtered data", place.file,
         chunk.file_offset, chunk.raw_size, chunk.data.size());
}

void decode_one(const FilterPlan& plan, const Chunk& chunk, MutableBytes out, const TilePlace& place,
                FilterScratch& scratch) {
  const Context doing([&] { return fmt::format("{} at byte {}", place.file, chunk.file_offset); });
  decode_chunk(plan, chunk.metadata, chunk.data, out, scratch);
}

void decode_text_one(const FilterPlan& plan, const Chunk& chunk, MutableBytes out, std::span<std::uint64_t> offsets,
                     const TilePlace& place, FilterScratch& scratch) {
  const Context doing([&] { return fmt::format("{} at byte {}", place.file, chunk.file_offset); });
  decode_text_chunk(plan, chunk.metadata, chunk.data, out, offsets, scratch);
}

void decode_tile(const FilterPlan& plan, std::span<const Chunk> chunks, MutableBytes out, const TilePlace& place,
                 ScratchPool& scratch, const Work& work) {
  const std::size_t tasks = (chunks.size() + kChunksPerTask - 1) / kChunksPerTask;
  parallel_for(work, tasks, [&](std::size_t task) {
    ScratchPool::Lease lease(scratch);
    const std::size_t first = task * kChunksPerTask;
    for (const Chunk& chunk : chunks.subspan(first, std::min(kChunksPerTask, chunks.size() - first)))
      decode_one(plan, chunk, out.subspan(chunk.raw_offset, chunk.raw_size), place, *lease);
  });
}

std::vector<std::uint64_t> cut_cells(std::uint64_t bytes, std::uint64_t cell_size) {
  const std::uint64_t size = std::max(cell_size, std::min(kChunkLimit, bytes) / cell_size * cell_size);
  std::vector<std::uint64_t> chunks(bytes / size, size);
  if (bytes % size != 0) chunks.push_back(bytes % size);
  return chunks;
}

// From version 11 on cells stay whole: a chunk closes when a cell takes it past the limit, unless that would make it
// longer than one and a half times the limit while it is at least half full. A cut behind the last cell leaves an empty
// chunk.
std::vector<std::uint64_t> cut_var_cells(std::uint64_t bytes, std::span<const std::uint64_t> offsets,
                                         std::uint64_t value_size, std::uint32_t version) {
  if (version < 11) return cut_cells(bytes, value_size);
  const std::uint64_t size = std::max(value_size, std::min(kChunkLimit, bytes) / value_size * value_size);
  const std::uint64_t low = size / 2, high = size + size / 2;
  std::vector<std::uint64_t> starts{0};
  std::uint64_t running = 0;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const std::uint64_t begin = offsets[i];
    const std::uint64_t end = i + 1 < offsets.size() ? offsets[i + 1] : bytes;
    const std::uint64_t length = end - begin;
    if (running + length <= size) {
      running += length;
    } else if (running <= low || running + length <= high) {
      starts.push_back(end);
      running = 0;
    } else {
      starts.push_back(begin);
      running = length;
      if (length > size) {
        if (i + 1 < offsets.size()) starts.push_back(end);
        running = 0;
      }
    }
  }
  std::vector<std::uint64_t> chunks;
  for (std::size_t i = 0; i < starts.size(); ++i)
    chunks.push_back((i + 1 < starts.size() ? starts[i + 1] : bytes) - starts[i]);
  return chunks;
}

void encode_tile(const FilterPlan& plan, ByteView raw, std::span<const std::uint64_t> chunks, Bytes& out,
                 ScratchPool& scratch, const Work& work) {
  ByteWriter(out).put(static_cast<std::uint64_t>(chunks.size()));
  if (plan.steps.empty()) {
    out.reserve(out.size() + raw.size() + chunks.size() * kChunkHeaderSize);
    for (const std::uint64_t size : chunks) {
      append_chunk(size, {}, raw.first(size), out);
      raw = raw.subspan(size);
    }
    return;
  }
  std::vector<std::uint64_t> starts;
  std::uint64_t at = 0;
  for (const std::uint64_t size : chunks) {
    starts.push_back(at);
    at += size;
  }
  struct Encoded {
    Bytes metadata, data;
  };
  // Only a few chunks per thread are held at a time; one thread needs one pair of buffers.
  const std::size_t threads = thread_count(work);
  std::vector<Encoded> encoded(std::min(chunks.size(), threads == 1 ? 1 : 4 * threads));
  for (std::size_t first = 0; first < chunks.size(); first += encoded.size()) {
    const std::size_t n = std::min(encoded.size(), chunks.size() - first);
    parallel_for(work, n, [&](std::size_t i) {
      ScratchPool::Lease lease(scratch);
      encoded[i].metadata.clear();
      encoded[i].data.clear();
      encode_chunk(plan, raw.subspan(starts[first + i], chunks[first + i]), encoded[i].metadata, encoded[i].data,
                   *lease);
    });
    for (std::size_t i = 0; i < n; ++i) append_chunk(chunks[first + i], encoded[i].metadata, encoded[i].data, out);
  }
}

void encode_text_tile(const FilterPlan& plan, ByteView raw, std::span<const std::uint64_t> offsets, Bytes& out,
                      FilterScratch& scratch) {
  Bytes metadata, data;
  encode_text_chunk(plan, raw, offsets, metadata, data, scratch);
  ByteWriter(out).put(std::uint64_t{1});
  append_chunk(raw.size(), metadata, data, out);
}

}  // namespace tegula::tiledb
