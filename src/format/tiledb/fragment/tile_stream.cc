// Small tiles are read several at a time. A large tile is read in pieces, whose chunks are decoded in parallel when
// there are too few tiles to keep all threads busy. In a tile without filters the positions of the chunks are known:
// those that are wanted are read straight into the result where their memory is in one piece, or in rows.
#include "format/tiledb/fragment/tile_stream.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "base/cursor.h"
#include "base/endian.h"
#include "base/fail.h"
#include "base/parallel.h"
#include "format/tiledb/filter/chunked_tile.h"
#include "format/tiledb/fragment/tile_fetch.h"

namespace tegula::tiledb {

namespace {

using Data = Fragment::Data;

constexpr std::uint64_t kPiece = 8 * kChunkLimit;

struct Buffers {
  FilterScratch scratch;
  Bytes stored, raw;
  std::vector<RangeRead> reads;
  std::vector<MutableBytes> pieces;
};

constexpr std::size_t kChunksPerRead = 8;
constexpr std::size_t kTileHeaderSize = 8;  // the number of chunks

Data data_of(const TileStream& tile) { return tile.validity ? Data::validity : Data::fixed; }

class Streamer {
 public:
  Streamer(const ArrayFiles& files, std::span<const TileStream> tiles, const Work& work)
      : files_(files), tiles_(tiles), work_(work) {
    make_units();
  }

  void run() {
    const unsigned threads = thread_count(work_);
    const bool spare = units_.size() < threads;
    const auto plan = [&](std::size_t i, Wants& wants) { this->plan(units_[i], wants); };
    fetch_each(*files_.store, work_, units_.size(), plan, [&](std::size_t i, const Store& from) {
      if (!plain(units_[i], spare, from)) decoded(units_[i], spare ? kPiece * threads : kPiece, from);
    });
  }

 private:
  // Tiles [first, first + count), side by side in one file.
  struct Unit {
    std::size_t first = 0, count = 0;
    std::uint64_t begin = 0, end = 0;
  };

  void make_units() {
    for (std::size_t i = 0; i < tiles_.size(); ++i) {
      const TileStream& tile = tiles_[i];
      const Fragment::Extent extent = tile.ref.fragment->stored(*tile.ref.field, data_of(tile), tile.ref.tile);
      const bool follows = i > 0 && tile.ref.fragment == tiles_[i - 1].ref.fragment &&
                           tile.ref.field == tiles_[i - 1].ref.field && tile.validity == tiles_[i - 1].validity &&
                           extent.begin == units_.back().end && extent.end - units_.back().begin <= kPiece;
      if (!follows) units_.push_back({i, 0, extent.begin, extent.end});
      ++units_.back().count;
      units_.back().end = extent.end;
    }
  }

  // One tile's plan and sizes.
  struct Target {
    const FilterPlan& plan;
    TileSink& sink;
    std::uint64_t size;
    std::string name;
    std::uint64_t offset;
    TilePlace place() const { return {name, offset}; }
  };

  Target target(const TileStream& tile, std::uint64_t offset) const {
    const Fragment& fragment = *tile.ref.fragment;
    const StoredField& field = *tile.ref.field;
    if (!tile.validity && (field.var() || field.in_coords))
      fail(ErrorKind::invalid_argument, "field '{}' cannot be streamed", field.name);
    return {fragment.plan(field, data_of(tile)), *tile.sink, fragment.raw_bytes(field, data_of(tile), tile.ref.tile),
            files_.store->describe(fragment.file(field, data_of(tile))), offset};
  }

  // All of the unit, or the wanted chunks of tiles without filters.
  void plan(const Unit& unit, Wants& wants) const {
    const TileStream& first = tiles_[unit.first];
    const std::string key = first.ref.fragment->file(*first.ref.field, data_of(first));
    std::vector<Target> targets;
    const std::optional<std::vector<PlainChunk>> chunks = plain_chunks(unit, targets);
    if (!chunks) return wants.range(key, unit.begin, unit.end - unit.begin);
    for (const PlainChunk& chunk : *chunks)
      wants.range(key, chunk.position, chunk.header_size() + chunk.end - chunk.begin);
  }

  void decoded(const Unit& unit, std::uint64_t piece, const Store& from) {
    if (unit.end - unit.begin <= kPiece)
      small(unit, from);
    else
      large(tiles_[unit.first], unit, piece, from);
  }

  // A chunk of a tile without filters, where libtiledb would have put it.
  struct PlainChunk {
    const Target& to;
    std::uint64_t begin, end;  // in the tile
    std::uint64_t position;    // of the header in the file; the first one begins with the number of chunks
    std::uint64_t chunks;      // of the tile
    std::size_t header_size() const { return kChunkHeaderSize + (begin == 0 ? kTileHeaderSize : 0); }
    bool fits(const std::byte* header) const {
      if (begin == 0 && load_le<std::uint64_t>(std::exchange(header, header + kTileHeaderSize)) != chunks) return false;
      return load_le<std::uint32_t>(header) == end - begin && load_le<std::uint32_t>(header + 4) == end - begin &&
             load_le<std::uint32_t>(header + 8) == 0;
    }
  };

  // The wanted chunks of tiles that may be plain; none when they have filters. The chunks borrow `targets`.
  std::optional<std::vector<PlainChunk>> plain_chunks(const Unit& unit, std::vector<Target>& targets) const {
    std::vector<PlainChunk> chunks;
    targets.reserve(unit.count);
    for (std::size_t i = unit.first; i < unit.first + unit.count; ++i) {
      const TileStream& tile = tiles_[i];
      const Fragment::Extent extent = tile.ref.fragment->stored(*tile.ref.field, data_of(tile), tile.ref.tile);
      const Target& to = targets.emplace_back(target(tile, extent.begin));
      if (!to.plan.steps.empty() || to.size == 0) return std::nullopt;
      const std::uint64_t cell = tile.validity ? 1 : tile.ref.field->cell_size();
      const std::uint64_t length = std::max(cell, std::min(kChunkLimit, to.size) / cell * cell);
      const std::uint64_t count = (to.size + length - 1) / length;
      if (extent.end - extent.begin != kTileHeaderSize + count * kChunkHeaderSize + to.size) return std::nullopt;
      for (std::uint64_t k = 0; k < count; ++k) {
        const std::uint64_t begin = k * length, end = std::min(to.size, begin + length);
        const std::uint64_t position = extent.begin + (k == 0 ? 0 : kTileHeaderSize + k * (kChunkHeaderSize + length));
        if (to.sink.wants(begin, end)) chunks.push_back({to, begin, end, position, count});
      }
    }
    return chunks;
  }

  // False when the tiles have filters, or turn out to be cut in another way: then what the sinks received may be wrong.
  bool plain(const Unit& unit, bool spare, const Store& from) {
    std::vector<Target> targets;
    const std::optional<std::vector<PlainChunk>> wanted = plain_chunks(unit, targets);
    if (!wanted) return false;
    const TileStream& first_tile = tiles_[unit.first];
    const std::string key = first_tile.ref.fragment->file(*first_tile.ref.field, data_of(first_tile));
    check_file_size(from, key, unit.begin, unit.end);
    const std::vector<PlainChunk>& chunks = *wanted;
    std::atomic<bool> fits = true;
    parallel_for(spare ? work_ : Work{.threads = 1}, (chunks.size() + kChunksPerRead - 1) / kChunksPerRead,
                 [&](std::size_t i) {
                   const std::size_t begin = i * kChunksPerRead;
                   const std::span<const PlainChunk> some =
                       std::span(chunks).subspan(begin, std::min(kChunksPerRead, chunks.size() - begin));
                   if (!read_plain(key, some, from)) fits = false;
                 });
    return fits;
  }

  bool read_plain(const std::string& key, std::span<const PlainChunk> chunks, const Store& from) {
    ObjectPool<Buffers>::Lease buffers(buffers_);
    std::array<std::byte, kChunksPerRead*(kTileHeaderSize + kChunkHeaderSize)> headers;
    const auto header = [&](std::size_t i) { return headers.data() + i * (kTileHeaderSize + kChunkHeaderSize); };
    std::array<MutableBytes, kChunksPerRead> taken;  // chunks that cannot be read in place
    if (const std::uint64_t raw = chunk_bytes(chunks); buffers->raw.size() < raw) buffers->raw.resize(raw);
    buffers->reads.clear();
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      const PlainChunk& chunk = chunks[i];
      std::uint64_t at = chunk.position + chunk.header_size();
      buffers->reads.push_back({key, chunk.position, {header(i), chunk.header_size()}});
      buffers->pieces.clear();
      if (!chunk.to.sink.pieces(chunk.begin, chunk.end, buffers->pieces)) {
        taken[i] = MutableBytes(buffers->raw).subspan(chunk_bytes(chunks.first(i)), chunk.end - chunk.begin);
        buffers->pieces.push_back(taken[i]);
      }
      for (const MutableBytes piece : buffers->pieces) {
        buffers->reads.push_back({key, at, piece});
        at += piece.size();
      }
    }
    fetch_ranges(from, buffers->reads);
    for (std::size_t i = 0; i < chunks.size(); ++i)
      if (!chunks[i].fits(header(i))) return false;
    for (std::size_t i = 0; i < chunks.size(); ++i)
      if (!taken[i].empty()) chunks[i].to.sink.take(chunks[i].begin, taken[i]);
    return true;
  }

  static std::uint64_t chunk_bytes(std::span<const PlainChunk> chunks) {
    std::uint64_t bytes = 0;
    for (const PlainChunk& chunk : chunks) bytes += chunk.end - chunk.begin;
    return bytes;
  }

  void small(const Unit& unit, const Store& from) {
    const TileStream& first = tiles_[unit.first];
    ObjectPool<Buffers>::Lease buffers(buffers_);
    Bytes& stored = buffers->stored;
    if (stored.size() < unit.end - unit.begin) stored.resize(unit.end - unit.begin);
    const std::string key = first.ref.fragment->file(*first.ref.field, data_of(first));
    RangeRead read{key, unit.begin, MutableBytes(stored).first(unit.end - unit.begin)};
    fetch_ranges(from, std::span(&read, 1));
    for (std::size_t i = unit.first; i < unit.first + unit.count; ++i) {
      const TileStream& tile = tiles_[i];
      const Fragment::Extent extent = tile.ref.fragment->stored(*tile.ref.field, data_of(tile), tile.ref.tile);
      const Target to = target(tile, extent.begin);
      const std::vector<Chunk> chunks =
          parse_chunks(read.into.subspan(extent.begin - unit.begin, extent.end - extent.begin), to.place());
      check_raw_size(chunks, to.size, to.plan, to.place());
      for (const Chunk& chunk : chunks) deliver(to, chunk, *buffers);
    }
  }

  void deliver(const Target& to, const Chunk& chunk, Buffers& buffers) const {
    const std::uint64_t end = chunk.raw_offset + chunk.raw_size;
    if (chunk.raw_size == 0 || !to.sink.wants(chunk.raw_offset, end)) return;
    const MutableBytes in_place = to.sink.place(chunk.raw_offset, end);
    if (!in_place.empty()) return decode_one(to.plan, chunk, in_place, to.place(), buffers.scratch);
    if (to.plan.steps.empty() && chunk.metadata.empty() && chunk.data.size() == chunk.raw_size)
      return to.sink.take(chunk.raw_offset, chunk.data);
    if (buffers.raw.size() < chunk.raw_size) buffers.raw.resize(chunk.raw_size);
    const MutableBytes raw = MutableBytes(buffers.raw).first(chunk.raw_size);
    decode_one(to.plan, chunk, raw, to.place(), buffers.scratch);
    to.sink.take(chunk.raw_offset, raw);
  }

  void large(const TileStream& tile, const Unit& unit, std::uint64_t piece, const Store& from) {
    const Target to = target(tile, unit.begin);
    const std::string key = tile.ref.fragment->file(*tile.ref.field, data_of(tile));
    ObjectPool<Buffers>::Lease buffers(buffers_);
    Bytes& stored = buffers->stored;
    std::uint64_t at = unit.begin, raw_at = 0, left = 0;
    bool started = false;
    std::uint64_t wanted_bytes = piece;
    while (at < unit.end && (!started || (left > 0 && to.sink.wants(raw_at, to.size)))) {
      const std::uint64_t length = std::min(wanted_bytes, unit.end - at);
      check_file_size(from, key, at, at + length);
      if (stored.size() < length) stored.resize(length);
      RangeRead read{key, at, MutableBytes(stored).first(length)};
      fetch_ranges(from, std::span(&read, 1));
      Cursor in(read.into, to.name, at);
      if (!started) {
        left = in.read<std::uint64_t>();
        if (left > (unit.end - unit.begin) / kChunkHeaderSize)
          in.fail("claims {} chunks, found a tile of {} bytes", left, unit.end - unit.begin);
        started = true;
      }
      // All chunks that lie completely in this piece.
      std::vector<Chunk> chunks;
      std::uint64_t used = in.position();
      wanted_bytes = piece;
      while (left > 0 && in.remaining() >= kChunkHeaderSize) {
        Chunk chunk;
        chunk.raw_offset = raw_at;
        chunk.file_offset = in.offset();
        chunk.raw_size = in.read<std::uint32_t>();
        const std::uint64_t data_size = in.read<std::uint32_t>(), metadata_size = in.read<std::uint32_t>();
        const std::uint64_t body = data_size + metadata_size;
        if (chunk.file_offset + kChunkHeaderSize + body > unit.end)
          in.fail("a chunk of {} filtered bytes, found {} to the end of the tile", body, unit.end - in.offset());
        if (body > in.remaining()) {
          wanted_bytes = std::max(piece, kChunkHeaderSize + body);
          break;
        }
        chunk.metadata = in.bytes(metadata_size);
        chunk.data = in.bytes(data_size);
        raw_at += chunk.raw_size;
        chunks.push_back(chunk);
        used = in.position();
        --left;
      }
      if (left > 0 && unit.end - (at + used) < kChunkHeaderSize)
        in.fail("expected {} more chunks, found {} bytes to the end of the tile", left, unit.end - (at + used));
      if (raw_at > to.size || (left == 0 && raw_at != to.size))
        fail(ErrorKind::corrupt, "{} at byte {}: a tile of {} bytes, expected {}", to.name, unit.begin, raw_at,
             to.size);
      for (const Chunk& chunk : chunks) check_chunk_claim(chunk, to.plan, to.place());
      parallel_for(piece > kPiece ? work_ : Work{.threads = 1}, chunks.size(), [&](std::size_t i) {
        ObjectPool<Buffers>::Lease own(buffers_);
        deliver(to, chunks[i], *own);
      });
      at += used;
    }
    if (left == 0 && at != unit.end)
      fail(ErrorKind::corrupt, "{} at byte {}: expected the end of the tile, found {} more bytes", to.name, at,
           unit.end - at);
  }

  const ArrayFiles& files_;
  const std::span<const TileStream> tiles_;
  const Work& work_;
  std::vector<Unit> units_;
  ObjectPool<Buffers> buffers_;
};

}  // namespace

void stream_tiles(const ArrayFiles& files, std::span<const TileStream> tiles, const Work& work) {
  std::vector<TileRef> refs;
  for (const TileStream& tile : tiles) refs.push_back(tile.ref);
  prefetch_tile_places(files, refs, work);
  Streamer(files, tiles, work).run();
}

}  // namespace tegula::tiledb
