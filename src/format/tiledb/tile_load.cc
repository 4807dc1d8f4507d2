// Whole tiles. Consecutive tiles of a field lie side by side in their files, so a run of them costs one request per
// file.
#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <set>

#include "base/fail.h"
#include "base/parallel.h"
#include "format/tiledb/tile.h"
#include "format/tiledb/tile_reads.h"
#include "format/tiledb/tile_source.h"
#include "format/tiledb/versions.h"

namespace tegula::tiledb {

namespace {

using Data = Fragment::Data;

constexpr std::uint64_t kRunBytes = 1 << 20;

bool has_part(const StoredField& field, Data data, TileParts parts) {
  if (data == Data::validity) return field.nullable && parts != TileParts::data;
  return parts != TileParts::validity && (data == Data::fixed || field.var());
}

// Refs [first, first + count): consecutive tiles of one field.
struct Run {
  std::size_t first = 0, count = 0;
};

std::vector<Run> make_runs(std::span<const TileRef> refs) {
  std::vector<Run> runs;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < refs.size(); ++i) {
    const bool follows = i > 0 && refs[i].fragment == refs[i - 1].fragment && refs[i].field == refs[i - 1].field &&
                         refs[i].tile == refs[i - 1].tile + 1;
    const std::uint64_t size = stored_bytes(refs[i]);
    if (!follows || bytes + size > kRunBytes) {
      runs.push_back({i, 0});
      bytes = 0;
    }
    ++runs.back().count;
    bytes += size;
  }
  return runs;
}

class RunLoader {
 public:
  RunLoader(const ArrayFiles& files, std::span<const TileRef> refs, TileParts parts, ScratchPool& scratch,
            const Work& work)
      : files_(files),
        refs_(refs),
        parts_(parts),
        scratch_(scratch),
        work_(work),
        fragment_(*refs[0].fragment),
        field_(*refs[0].field) {}

  void load(std::span<TileData> out) {
    fetch();
    for (std::size_t i = 0; i < refs_.size(); ++i) out[i] = load_tile(refs_[i].tile);
  }

 private:
  struct Part {
    bool wanted = false;
    std::string key, name;
    std::uint64_t begin = 0;
    Bytes bytes;
  };

  void fetch() {
    std::vector<RangeRead> reads;
    for (const Data data : {Data::fixed, Data::var, Data::validity}) {
      Part& part = parts_of_[static_cast<std::size_t>(data)];
      part.wanted = has_part(field_, data, parts_);
      if (!part.wanted) continue;
      part.key = fragment_.file(field_, data);
      part.name = files_.store->describe(part.key);
      part.begin = fragment_.stored(field_, data, refs_.front().tile).begin;
      const std::uint64_t end = fragment_.stored(field_, data, refs_.back().tile).end;
      check_file_size(files_, part.key, part.begin, end);
      part.bytes.resize(end - part.begin);
    }
    for (Part& part : parts_of_)
      if (part.wanted) reads.push_back({part.key, part.begin, part.bytes});
    fetch_ranges(files_, reads);
  }

  const Part& part(Data data) const { return parts_of_[static_cast<std::size_t>(data)]; }

  TilePlace place(Data data, std::uint64_t tile) const {
    return {part(data).name, fragment_.stored(field_, data, tile).begin};
  }

  std::vector<Chunk> chunks(Data data, std::uint64_t tile) const {
    const Fragment::Extent extent = fragment_.stored(field_, data, tile);
    return parse_chunks(ByteView(part(data).bytes).subspan(extent.begin - part(data).begin, extent.end - extent.begin),
                        place(data, tile));
  }

  Bytes decode(Data data, std::uint64_t tile) const {
    const FilterPlan& plan = fragment_.plan(field_, data);
    const std::vector<Chunk> all = chunks(data, tile);
    const std::uint64_t size = fragment_.raw_bytes(field_, data, tile);
    check_raw_size(all, size, plan, place(data, tile));
    Bytes out(size);
    decode_tile(plan, all, out, place(data, tile), scratch_, work_);
    return out;
  }

  TileData load_tile(std::uint64_t tile) const {
    TileData out;
    out.cells = fragment_.cells(tile);
    if (part(Data::fixed).wanted) {
      if (field_.in_coords) {
        out.data = decode_coordinates(tile);
      } else if (field_.var()) {
        decode_var(tile, out);
      } else {
        out.data = decode(Data::fixed, tile);
      }
    }
    if (part(Data::validity).wanted) out.validity = decode(Data::validity, tile);
    return out;
  }

  void decode_var(std::uint64_t tile, TileData& out) const {
    const std::vector<Chunk> offset_chunks = chunks(Data::fixed, tile);
    if (offset_chunks.empty() && out.cells > 0) return decode_text(tile, out);
    const FilterPlan& plan = fragment_.plan(field_, Data::fixed);
    const TilePlace where = place(Data::fixed, tile);
    check_raw_size(offset_chunks, fragment_.raw_bytes(field_, Data::fixed, tile), plan, where);
    out.offsets.resize(out.cells + 1);
    decode_tile(plan, offset_chunks, std::as_writable_bytes(std::span(out.offsets).first(out.cells)), where, scratch_,
                work_);
    out.data = decode(Data::var, tile);
    out.offsets[out.cells] = out.data.size();
    if constexpr (std::endian::native == std::endian::big)
      for (std::uint64_t& offset : std::span(out.offsets).first(out.cells)) offset = swap_bytes(offset);
    if (!std::is_sorted(out.offsets.begin(), out.offsets.end()))
      fail(ErrorKind::corrupt, "{} at byte {}: the offsets of variable cells do not rise or leave their {} bytes",
           where.file, where.offset, out.data.size());
  }

  // The tile of offsets is empty: the first filter of the text holds the boundaries.
  void decode_text(std::uint64_t tile, TileData& out) const {
    const FilterPlan& plan = fragment_.plan(field_, Data::var);
    const TilePlace where = place(Data::var, tile);
    const std::vector<Chunk> all = chunks(Data::var, tile);
    const std::uint64_t size = fragment_.raw_bytes(field_, Data::var, tile);
    if (!may_carry_offsets(plan) || all.size() != 1 || out.cells > UINT32_MAX / 8)
      fail(ErrorKind::corrupt,
           "{} at byte {}: {} variable cells have no offsets, and {} chunks of text cannot hold them", where.file,
           where.offset, out.cells, all.size());
    check_raw_size(all, size, plan, where);
    out.data.resize(size);
    out.offsets.resize(out.cells + 1);
    out.offsets[out.cells] = size;
    ScratchPool::Lease lease(scratch_);
    decode_text_one(plan, all[0], out.data, std::span(out.offsets).first(out.cells), where, *lease);
  }

  // Versions 1 to 4 store the coordinates of all dimensions in one tile: one dimension after the other, or (version 1
  // without a compressor) cell by cell.
  Bytes decode_coordinates(std::uint64_t tile) const {
    const FilterPlan& plan = fragment_.plan(field_, Data::fixed);
    const TilePlace where = place(Data::fixed, tile);
    const std::vector<Chunk> all = chunks(Data::fixed, tile);
    const std::uint64_t size = field_.type.size, dimensions = fragment_.schema().dimensions.size();
    const std::uint64_t column = fragment_.raw_bytes(field_, Data::fixed, tile);
    check_raw_size(all, column * dimensions, plan, where);
    Bytes out(column);
    if (!coordinates_split()) {
      Bytes zipped(column * dimensions);
      decode_tile(plan, all, zipped, where, scratch_, work_);
      for (std::uint64_t i = 0; i < column / size; ++i)
        std::memcpy(out.data() + i * size, zipped.data() + (i * dimensions + field_.index) * size, size);
      return out;
    }
    const std::uint64_t begin = field_.index * column, end = begin + column;
    ScratchPool::Lease lease(scratch_);
    Bytes whole;
    for (const Chunk& chunk : all) {
      const std::uint64_t chunk_end = chunk.raw_offset + chunk.raw_size;
      const std::uint64_t from = std::max(begin, chunk.raw_offset), to = std::min(end, chunk_end);
      if (from >= to) continue;
      const MutableBytes target = MutableBytes(out).subspan(from - begin, to - from);
      if (to - from == chunk.raw_size) {
        decode_one(plan, chunk, target, where, *lease);
      } else {
        whole.resize(chunk.raw_size);
        decode_one(plan, chunk, whole, where, *lease);
        std::memcpy(target.data(), whole.data() + (from - chunk.raw_offset), target.size());
      }
    }
    return out;
  }

  bool coordinates_split() const {
    if (coords_always_split(fragment_.version())) return true;
    const Pipeline& filters = fragment_.schema().coords;
    return std::any_of(filters.steps.begin(), filters.steps.end(), [](const FilterStep& step) {
      return step.type >= FilterType::gzip && step.type <= FilterType::double_delta;
    });
  }

  const ArrayFiles& files_;
  const std::span<const TileRef> refs_;
  const TileParts parts_;
  ScratchPool& scratch_;
  const Work& work_;
  const Fragment& fragment_;
  const StoredField& field_;
  Part parts_of_[3];
};

}  // namespace

std::vector<TileData> load_tiles(const ArrayFiles& files, std::span<const TileRef> refs, const Work& work,
                                 TileParts parts) {
  prefetch_offsets(refs, work);
  const std::vector<Run> runs = make_runs(refs);
  std::vector<TileData> out(refs.size());
  ScratchPool scratch;
  parallel_for(work, runs.size(), [&](std::size_t i) {
    RunLoader loader(files, refs.subspan(runs[i].first, runs[i].count), parts, scratch, work);
    loader.load(std::span(out).subspan(runs[i].first, runs[i].count));
  });
  return out;
}

std::uint64_t decoded_bytes(const TileRef& ref) {
  const Fragment& fragment = *ref.fragment;
  std::uint64_t bytes = fragment.raw_bytes(*ref.field, Data::fixed, ref.tile);
  if (ref.field->var()) bytes += fragment.raw_bytes(*ref.field, Data::var, ref.tile) + 8;
  if (ref.field->nullable) bytes += fragment.cells(ref.tile);
  return bytes;
}

std::uint64_t stored_bytes(const TileRef& ref) {
  std::uint64_t bytes = 0;
  for (const Data data : {Data::fixed, Data::var, Data::validity}) {
    if (!has_part(*ref.field, data, TileParts::all)) continue;
    const Fragment::Extent extent = ref.fragment->stored(*ref.field, data, ref.tile);
    bytes += extent.end - extent.begin;
  }
  return bytes;
}

}  // namespace tegula::tiledb
