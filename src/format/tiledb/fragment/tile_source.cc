#include "format/tiledb/fragment/tile_source.h"

#include "format/tiledb/fragment/tile_fetch.h"
#include "format/tiledb/fragment/tile_run.h"

namespace tegula::tiledb {

using Data = Fragment::Data;

// Consecutive tiles of a field lie side by side in their files, so a run of them costs one request per file.
std::vector<TileData> load_tiles(const ArrayFiles& files, std::span<const TileRef> refs, const Work& work,
                                 TileParts parts) {
  prefetch_tile_places(files, refs, work);
  const std::vector<Span> runs = make_runs(
      refs.size(),
      [&](std::size_t i) {
        return refs[i].fragment == refs[i - 1].fragment && refs[i].field == refs[i - 1].field &&
               refs[i].tile == refs[i - 1].tile + 1;
      },
      [&](std::size_t i) { return stored_bytes(refs[i]); });
  std::vector<TileData> out(refs.size());
  RunPools pools;
  const auto plan = [&](std::size_t r, Wants& wants) {
    const auto [begin, end] = runs[r];
    plan_run(*refs[begin].fragment, std::span(&refs[begin].field, 1), refs[begin].tile, refs[end - 1].tile, parts,
             wants);
  };
  fetch_each(*files.store, work, runs.size(), plan, [&](std::size_t r, const Store& from) {
    const auto [begin, end] = runs[r];
    const TileRun run(files, *refs[begin].fragment, std::span(&refs[begin].field, 1), refs[begin].tile,
                      refs[end - 1].tile, pools, work, parts, from);
    for (std::size_t i = begin; i < end; ++i) run.decode(0, refs[i].tile, out[i]);
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
