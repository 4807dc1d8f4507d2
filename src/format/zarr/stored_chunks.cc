#include "format/zarr/stored_chunks.h"

#include <algorithm>
#include <map>

#include "base/fail.h"
#include "base/product.h"
#include "format/zarr/array.h"
#include "format/zarr/carry_filters.h"
#include "format/zarr/chunk/chunk_listing.h"
#include "store/wrap/wait_each.h"

namespace tegula::zarr {

namespace {

// Decoders of these find everything in the bytes themselves.
constexpr std::string_view kSelfDescribing[] = {"blosc", "zstd", "gzip", "zlib", "bz2", "lz4", "lzma", "crc32c"};

std::string_view plain_name(std::string_view name) { return name.starts_with("numcodecs.") ? name.substr(10) : name; }

bool same_steps(const ByteStep& a, const ByteStep& b) {
  const std::string_view name = plain_name(a.name);
  return name == plain_name(b.name) &&
         std::find(std::begin(kSelfDescribing), std::end(kSelfDescribing), name) != std::end(kSelfDescribing);
}

bool same_chain(const ArrayMeta& a, const ArrayMeta& b) {
  if (a.chain.permutation != b.chain.permutation || a.chain.serializer != b.chain.serializer ||
      a.chain.swap != b.chain.swap)
    return false;
  // Anything that depends on its options, shards among them, must be spelled the same by the same version.
  if (a.version == b.version && a.filters == b.filters) return true;
  return !a.chain.sharding && !b.chain.sharding &&
         std::equal(a.chain.steps.begin(), a.chain.steps.end(), b.chain.steps.begin(), b.chain.steps.end(), same_steps);
}

const ZarrArray* as_zarr(const Array& array) { return dynamic_cast<const ZarrArray*>(&array); }

}  // namespace

bool chunks_fit(const CopySource& source, const Array& to) {
  const ZarrArray *old = as_zarr(source.from), *made = as_zarr(to);
  if (!old || !made || !old->store().hints().lists) return false;
  const std::shared_ptr<const Snapshot> before = old->snapshot(), after = made->snapshot();
  const ArrayMeta &a = before->meta, &b = after->meta;
  return a.shape == b.shape && a.chunks == b.chunks && a.cell.type == b.cell.type && a.cell.var == b.cell.var &&
         a.cell.fill == b.cell.fill && a.fill_defined == b.fill_defined && same_chain(a, b);
}

std::uint64_t copy_chunks(const CopySource& source, Array& to, Store& store, const Work& work) {
  const ZarrArray *old = as_zarr(source.from), *made = as_zarr(to);
  if (!old || !made) fail(ErrorKind::invalid_argument, "only the chunks of zarr arrays are copied between zarr arrays");
  const std::shared_ptr<const Snapshot> before = old->snapshot(), after = made->snapshot();
  const std::vector<ChunkFile> chunks = list_chunks(old->store(), before->meta).chunks;
  if (const std::uint64_t expected = saturated_product(chunk_grid(before->meta.shape, before->meta.chunks));
      old->missing() == Missing::error && chunks.size() < expected)
    fail(ErrorKind::not_found, "{} of {} chunks are missing, and the caller asked for missing chunks to be errors",
         expected - chunks.size(), expected);
  std::map<Shape, std::uint64_t> there;
  for (const ChunkFile& file : list_chunks(store, after->meta).chunks) there[file.chunk] = file.size;
  if (work.progress) work.progress->begin("copying chunks", chunks.size());
  std::uint64_t largest = 0;
  for (const ChunkFile& file : chunks) largest = std::max(largest, file.size);
  // Either of the two may be far away; each item waits for both.
  const Store& slower = store.hints().remote() ? store : old->store();
  wait_each(slower, work, chunks.size(), 2 * largest, [&](std::size_t i) {
    // A chunk that was removed since it was listed is absent like any other.
    const std::optional<Bytes> file = old->store().get(chunks[i].key);
    if (!file && old->missing() == Missing::error)
      fail(ErrorKind::not_found, "'{}' is missing, and the caller asked for missing chunks to be errors",
           old->store().describe(chunks[i].key));
    if (file) {
      const std::string key = after->meta.keys.key(chunks[i].chunk);
      const auto found = there.find(chunks[i].chunk);
      if (found == there.end() || found->second != file->size() || store.get(key) != file) store.put(key, *file);
    }
    if (work.progress) work.progress->advance(1);
  });
  if (work.progress) work.progress->end();
  return chunks.size();
}

std::optional<std::vector<CellBox>> written_boxes(const Array& array, const Work&) {
  const ZarrArray* zarr = as_zarr(array);
  if (!zarr || array.schema().dimensions.empty() || !zarr->store().hints().lists) return std::nullopt;
  const std::shared_ptr<const Snapshot> now = zarr->snapshot();
  const ArrayMeta& meta = now->meta;
  std::vector<CellBox> boxes;
  for (const ChunkFile& file : list_chunks(zarr->store(), meta).chunks) {
    CellBox& box = boxes.emplace_back();
    for (std::size_t d = 0; d < file.chunk.size(); ++d) {
      box.first.push_back(file.chunk[d] * meta.chunks[d]);
      box.count.push_back(std::min(meta.chunks[d], meta.shape[d] - box.first[d]));
    }
  }
  return boxes;
}

std::optional<StoredGrid> stored_grid(const Array& array, std::string_view) {
  const ZarrArray* zarr = as_zarr(array);
  if (!zarr) return std::nullopt;
  const std::shared_ptr<const Snapshot> now = zarr->snapshot();
  const ArrayMeta& meta = now->meta;
  const bool text = meta.chain.serializer == Serializer::variable;
  if (!meta.chain.permutation.empty() || meta.chain.swap || meta.cell.type.big_endian ||
      (meta.chain.serializer != Serializer::bytes && !text))
    return std::nullopt;
  const std::optional<std::vector<Filter>> filters =
      carry_filters(now->schema->attributes[0], now->schema->format, "zarr2");
  if (!filters || filters->size() != meta.chain.steps.size()) return std::nullopt;
  StoredGrid grid;
  grid.chunk = meta.chunks;
  grid.filters = *filters;
  grid.holes = true;
  grid.find = [now](std::span<const std::uint64_t> chunk) -> std::optional<StoredChunk> {
    return StoredChunk{now->meta.keys.key(Shape(chunk.begin(), chunk.end()))};
  };
  return grid;
}

}  // namespace tegula::zarr
