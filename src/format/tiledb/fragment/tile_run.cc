#include "format/tiledb/fragment/tile_run.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/fail.h"
#include "base/parallel.h"
#include "format/tiledb/disk/versions.h"
#include "format/tiledb/fragment/tile_fetch.h"

namespace tegula::tiledb {

namespace {

using Data = Fragment::Data;

constexpr std::uint64_t kRunBytes = 1 << 20;
constexpr Data kData[] = {Data::fixed, Data::var, Data::validity};

}  // namespace

bool has_part(const StoredField& field, Data data, TileParts parts) {
  if (data == Data::validity) return field.nullable && parts != TileParts::data;
  return parts != TileParts::validity && (data == Data::fixed || field.var());
}

std::vector<Span> make_runs(std::size_t count, const std::function<bool(std::size_t)>& follows,
                            const std::function<std::uint64_t(std::size_t)>& bytes) {
  std::vector<Span> runs;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t more = bytes(i);
    if (i == 0 || !follows(i) || sum + more > kRunBytes) {
      runs.push_back({i, i});
      sum = 0;
    }
    runs.back().end = i + 1;
    sum += more;
  }
  return runs;
}

TileRun::TileRun(const ArrayFiles& files, const Fragment& fragment, std::span<const StoredField* const> fields,
                 std::uint64_t first, std::uint64_t last, RunPools& pools, const Work& work, TileParts parts,
                 const Store& from)
    : files_(files),
      fragment_(fragment),
      fields_(fields),
      pools_(pools),
      work_(work),
      stored_(pools.stored),
      parts_(3 * fields.size()) {
  fetch(first, last, parts, from);
}

void plan_run(const Fragment& fragment, std::span<const StoredField* const> fields, std::uint64_t first,
              std::uint64_t last, TileParts parts, Wants& wants) {
  for (const StoredField* field : fields)
    for (const Data data : kData) {
      if (!has_part(*field, data, parts)) continue;
      const std::uint64_t begin = fragment.stored(*field, data, first).begin;
      wants.range(fragment.file(*field, data), begin, fragment.stored(*field, data, last).end - begin);
    }
}

void TileRun::fetch(std::uint64_t first, std::uint64_t last, TileParts wanted, const Store& from) {
  if (stored_->size() < parts_.size()) stored_->resize(parts_.size());
  std::vector<RangeRead> reads;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const StoredField& field = *fields_[i / 3];
    Part& part = parts_[i];
    part.wanted = has_part(field, kData[i % 3], wanted);
    if (!part.wanted) continue;
    part.key = fragment_.file(field, kData[i % 3]);
    part.name = files_.store->describe(part.key);
    part.begin = fragment_.stored(field, kData[i % 3], first).begin;
    const std::uint64_t end = fragment_.stored(field, kData[i % 3], last).end;
    check_file_size(from, part.key, part.begin, end);
    Bytes& bytes = (*stored_)[i];
    if (bytes.size() < end - part.begin) bytes.resize(end - part.begin);
    part.bytes = MutableBytes(bytes).first(end - part.begin);
    reads.push_back({part.key, part.begin, part.bytes});
  }
  fetch_ranges(from, reads);
}

void TileRun::decode(std::size_t index, std::uint64_t tile, TileData& out) const {
  const At at{*fields_[index], &parts_[3 * index], tile};
  out.cells = fragment_.cells(tile);
  if (at.part(Data::fixed).wanted) {
    if (at.field.in_coords) {
      decode_coordinates(at, out.data);
    } else if (at.field.var()) {
      decode_var(at, out);
    } else {
      decode_all(at, Data::fixed, out.data);
    }
  }
  if (at.part(Data::validity).wanted) decode_all(at, Data::validity, out.validity);
}

TilePlace TileRun::place(const At& at, Data data) const {
  return {at.part(data).name, fragment_.stored(at.field, data, at.tile).begin};
}

std::vector<Chunk> TileRun::chunks(const At& at, Data data) const {
  const Fragment::Extent extent = fragment_.stored(at.field, data, at.tile);
  const Part& part = at.part(data);
  return parse_chunks(part.bytes.subspan(extent.begin - part.begin, extent.end - extent.begin), place(at, data));
}

void TileRun::decode_all(const At& at, Data data, Bytes& out) const {
  const FilterPlan& plan = fragment_.plan(at.field, data);
  const std::vector<Chunk> all = chunks(at, data);
  const std::uint64_t size = fragment_.raw_bytes(at.field, data, at.tile);
  check_raw_size(all, size, plan, place(at, data));
  out.resize(size);
  decode_tile(plan, all, out, place(at, data), pools_.scratch, work_);
}

void TileRun::decode_var(const At& at, TileData& out) const {
  const std::vector<Chunk> offset_chunks = chunks(at, Data::fixed);
  if (offset_chunks.empty() && out.cells > 0) return decode_text(at, out);
  const FilterPlan& plan = fragment_.plan(at.field, Data::fixed);
  const TilePlace where = place(at, Data::fixed);
  check_raw_size(offset_chunks, fragment_.raw_bytes(at.field, Data::fixed, at.tile), plan, where);
  out.offsets.resize(out.cells + 1);
  decode_tile(plan, offset_chunks, std::as_writable_bytes(std::span(out.offsets).first(out.cells)), where,
              pools_.scratch, work_);
  decode_all(at, Data::var, out.data);
  out.offsets[out.cells] = out.data.size();
  if constexpr (std::endian::native == std::endian::big)
    for (std::uint64_t& offset : std::span(out.offsets).first(out.cells)) offset = swap_bytes(offset);
  if (!std::is_sorted(out.offsets.begin(), out.offsets.end()))
    fail(ErrorKind::corrupt, "{} at byte {}: the offsets of variable cells do not rise or leave their {} bytes",
         where.file, where.offset, out.data.size());
}

// The tile of offsets is empty: the first filter of the text holds the boundaries.
void TileRun::decode_text(const At& at, TileData& out) const {
  const FilterPlan& plan = fragment_.plan(at.field, Data::var);
  const TilePlace where = place(at, Data::var);
  const std::vector<Chunk> all = chunks(at, Data::var);
  const std::uint64_t size = fragment_.raw_bytes(at.field, Data::var, at.tile);
  if (!may_carry_offsets(plan) || all.size() != 1 || out.cells > UINT32_MAX / 8)
    fail(ErrorKind::corrupt, "{} at byte {}: {} variable cells have no offsets, and {} chunks of text cannot hold them",
         where.file, where.offset, out.cells, all.size());
  check_raw_size(all, size, plan, where);
  out.data.resize(size);
  out.offsets.resize(out.cells + 1);
  out.offsets[out.cells] = size;
  ScratchPool::Lease lease(pools_.scratch);
  decode_text_one(plan, all[0], out.data, std::span(out.offsets).first(out.cells), where, *lease);
}

// Versions 1 to 4 store the coordinates of all dimensions in one tile: one dimension after the other, or (version 1
// without a compressor) cell by cell.
void TileRun::decode_coordinates(const At& at, Bytes& out) const {
  const FilterPlan& plan = fragment_.plan(at.field, Data::fixed);
  const TilePlace where = place(at, Data::fixed);
  const std::vector<Chunk> all = chunks(at, Data::fixed);
  const std::uint64_t size = at.field.type.size, dimensions = fragment_.schema().dimensions.size();
  const std::uint64_t column = fragment_.raw_bytes(at.field, Data::fixed, at.tile);
  check_raw_size(all, column * dimensions, plan, where);
  out.resize(column);
  if (!coordinates_split()) {
    Bytes zipped(column * dimensions);
    decode_tile(plan, all, zipped, where, pools_.scratch, work_);
    for (std::uint64_t i = 0; i < column / size; ++i)
      std::memcpy(out.data() + i * size, zipped.data() + (i * dimensions + at.field.index) * size, size);
    return;
  }
  const std::uint64_t begin = at.field.index * column, end = begin + column;
  ScratchPool::Lease lease(pools_.scratch);
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
}

bool TileRun::coordinates_split() const {
  if (coords_always_split(fragment_.version())) return true;
  const Pipeline& filters = fragment_.schema().coords;
  return std::any_of(filters.steps.begin(), filters.steps.end(), [](const FilterStep& step) {
    return step.type >= FilterType::gzip && step.type <= FilterType::double_delta;
  });
}

void prefetch_tile_places(const ArrayFiles& files, std::span<const TileJob> jobs, const Work& work) {
  std::vector<WantedPlaces> wanted;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    if (i == 0 || jobs[i].fragment != jobs[i - 1].fragment) wanted.push_back({jobs[i].fragment, jobs[i].fields});
  prefetch_tile_places(files, wanted, work);
}

void for_each_tile(const ArrayFiles& files, std::span<const TileJob> jobs, const Work& work,
                   const std::function<void(std::size_t, std::span<const TileData>)>& body) {
  const std::vector<Span> runs = make_runs(
      jobs.size(),
      [&](std::size_t i) {
        return jobs[i].fragment == jobs[i - 1].fragment && jobs[i].tile == jobs[i - 1].tile + 1 &&
               jobs[i].fields == jobs[i - 1].fields;
      },
      [&](std::size_t i) {
        std::uint64_t bytes = 0;
        for (const StoredField* field : jobs[i].fields) bytes += stored_bytes({jobs[i].fragment, field, jobs[i].tile});
        return bytes;
      });
  RunPools pools;
  ObjectPool<std::vector<TileData>> loaded;
  // Chunks of a tile are worth threads of their own only when runs leave some idle.
  Work inner = work;
  if (runs.size() >= thread_count(work)) inner.threads = 1;
  const auto plan = [&](std::size_t r, Wants& wants) {
    const auto [begin, end] = runs[r];
    plan_run(*jobs[begin].fragment, jobs[begin].fields, jobs[begin].tile, jobs[end - 1].tile, TileParts::all, wants);
  };
  fetch_each(*files.store, work, runs.size(), plan, [&](std::size_t r, const Store& from) {
    const auto [begin, end] = runs[r];
    const std::vector<const StoredField*>& fields = jobs[begin].fields;
    const TileRun run(files, *jobs[begin].fragment, fields, jobs[begin].tile, jobs[end - 1].tile, pools, inner,
                      TileParts::all, from);
    ObjectPool<std::vector<TileData>>::Lease tiles(loaded);
    if (tiles->size() < fields.size()) tiles->resize(fields.size());
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t f = 0; f < fields.size(); ++f) {
        TileData& tile = (*tiles)[f];
        tile.offsets.clear();
        tile.validity.clear();
        run.decode(f, jobs[i].tile, tile);
      }
      body(i, std::span(*tiles).first(fields.size()));
    }
  });
}

}  // namespace tegula::tiledb
