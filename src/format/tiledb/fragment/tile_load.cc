// Whole tiles. Consecutive tiles of a field lie side by side in their files, so a run of them costs one request per
// file.
#include "base/parallel.h"
#include "format/tiledb/fragment/tile_reads.h"
#include "format/tiledb/fragment/tile_run.h"

namespace tegula::tiledb {

using Data = Fragment::Data;

std::vector<TileData> load_tiles(const ArrayFiles& files, std::span<const TileRef> refs, const Work& work,
                                 TileParts parts) {
  prefetch_offsets(refs, work);
  const std::vector<Span> runs = make_runs(
      refs.size(),
      [&](std::size_t i) {
        return refs[i].fragment == refs[i - 1].fragment && refs[i].field == refs[i - 1].field &&
               refs[i].tile == refs[i - 1].tile + 1;
      },
      [&](std::size_t i) { return stored_bytes(refs[i]); });
  std::vector<TileData> out(refs.size());
  RunPools pools;
  parallel_for(work, runs.size(), [&](std::size_t r) {
    const auto [begin, end] = runs[r];
    const TileRun run(files, *refs[begin].fragment, std::span(&refs[begin].field, 1), refs[begin].tile,
                      refs[end - 1].tile, pools, work, parts);
    for (std::size_t i = begin; i < end; ++i) run.decode(0, refs[i].tile, out[i]);
  });
  return out;
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
  LeasePool<std::vector<TileData>> loaded;
  // Chunks of a tile are worth threads of their own only when runs leave some idle.
  Work inner = work;
  if (runs.size() >= thread_count(work)) inner.threads = 1;
  parallel_for(work, runs.size(), [&](std::size_t r) {
    const auto [begin, end] = runs[r];
    const std::vector<const StoredField*>& fields = jobs[begin].fields;
    const TileRun run(files, *jobs[begin].fragment, fields, jobs[begin].tile, jobs[end - 1].tile, pools, inner);
    LeasePool<std::vector<TileData>>::Lease tiles(loaded);
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
