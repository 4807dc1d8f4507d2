#include "format/zarr/chunk/chunk_listing.h"

#include <algorithm>

#include "store/wrap/known_store.h"

namespace tegula::zarr {

namespace {

constexpr std::string_view kMetadata[] = {"__zmeta__", "__zattr__", "meta",      "attrs",     ".zarray",
                                          ".zattrs",   ".zgroup",   "zarr.json", ".zmetadata"};

bool inside(const Shape& chunk, const Shape& grid) {
  for (std::size_t a = 0; a < chunk.size(); ++a)
    if (chunk[a] >= grid[a]) return false;
  return true;
}

class Lister {
 public:
  Lister(const Store& store, const ArrayMeta& meta)
      : store_(store), meta_(meta), grid_(chunk_grid(meta.shape, meta.chunks)), folders_(meta.keys.separator == '/') {}

  ChunkListing run() {
    const std::size_t slash = meta_.keys.prefix.rfind('/');
    const std::string folder = slash == std::string::npos ? "" : meta_.keys.prefix.substr(0, slash);
    walk(folder, 0);
    // The only chunk of an array without axes is not in the folder of chunks but beside it.
    if (meta_.rank() == 0 && !folder.empty())
      if (const auto size = store_.size(meta_.keys.scalar)) listing_.chunks.push_back({meta_.keys.scalar, *size, {}});
    return std::move(listing_);
  }

 private:
  void walk(const std::string& folder, std::size_t depth) {
    for (const Entry& entry : store_.list(folder)) {
      const std::string key = join(folder, entry.name);
      if (entry.folder) {
        const bool number =
            std::all_of(entry.name.begin(), entry.name.end(), [](char c) { return c >= '0' && c <= '9'; });
        if (folders_ && number && depth + 1 < meta_.rank()) walk(key, depth + 1);
        continue;
      }
      if (folder.empty() && std::find(std::begin(kMetadata), std::end(kMetadata), entry.name) != std::end(kMetadata))
        continue;
      std::optional<Shape> chunk = meta_.keys.chunk(key, meta_.rank());
      auto& list = !chunk ? listing_.others : inside(*chunk, grid_) ? listing_.chunks : listing_.outside;
      list.push_back({key, entry.size, chunk ? std::move(*chunk) : Shape{}});
    }
  }

  const Store& store_;
  const ArrayMeta& meta_;
  Shape grid_;
  bool folders_;
  ChunkListing listing_;
};

}  // namespace

Shape chunk_grid(const Shape& shape, const Shape& chunks) {
  Shape grid;
  for (std::size_t a = 0; a < shape.size(); ++a) grid.push_back(shape[a] / chunks[a] + (shape[a] % chunks[a] != 0));
  return grid;
}

ChunkListing list_chunks(const Store& store, const ArrayMeta& meta) {
  if (!store.hints().remote()) return Lister(store, meta).run();
  // One flat listing, not one for each folder.
  KnownStore known(store);
  known.learn(store.list_all(""));
  return Lister(known, meta).run();
}

}  // namespace tegula::zarr
