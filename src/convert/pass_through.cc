#include "convert/pass_through.h"

#include <algorithm>
#include <map>

#include "base/fail.h"
#include "base/parallel.h"
#include "format/zarr/array.h"
#include "format/zarr/chunk/chunk_listing.h"

namespace tegula {

namespace {

using zarr::ArrayMeta;
using zarr::ByteStep;
using zarr::ZarrArray;

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

bool chunks_fit(const Array& source, const Array& target) {
  const ZarrArray *from = as_zarr(source), *to = as_zarr(target);
  if (!from || !to) return false;
  const ArrayMeta &a = from->meta(), &b = to->meta();
  return a.shape == b.shape && a.chunks == b.chunks && a.cell.type == b.cell.type && a.cell.var == b.cell.var &&
         a.cell.fill == b.cell.fill && a.fill_defined == b.fill_defined && same_chain(a, b);
}

std::uint64_t pass_chunks(const Array& source, const Array& target, Store& store, const Work& work) {
  const ZarrArray *from = as_zarr(source), *to = as_zarr(target);
  if (!from || !to) fail(ErrorKind::invalid_argument, "only zarr chunks are copied as they are");
  const std::vector<zarr::ChunkFile> chunks = list_chunks(from->store(), from->meta()).chunks;
  std::map<zarr::Shape, std::uint64_t> there;
  for (const zarr::ChunkFile& file : list_chunks(store, to->meta()).chunks) there[file.chunk] = file.size;
  if (work.progress) work.progress->begin("copying chunks", chunks.size());
  parallel_for(work, chunks.size(), [&](std::size_t i) {
    const auto found = there.find(chunks[i].chunk);
    if (found == there.end() || found->second != chunks[i].size) {
      // A chunk that went away since it was listed is absent like any other.
      if (const std::optional<Bytes> file = from->store().get(chunks[i].key))
        store.put(to->meta().keys.key(chunks[i].chunk), *file);
    }
    if (work.progress) work.progress->advance(1);
  });
  if (work.progress) work.progress->end();
  return chunks.size();
}

}  // namespace tegula
