// Fetching what tiles need: where they lie in their files, and ranges of these files.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "format/tiledb/fragment/tile_source.h"
#include "store/store.h"

namespace tegula::tiledb {

// Loads the lists that tell where the tiles of these fields lie in their files: one request for each fragment, those of
// a remote store under way at once.
struct WantedPlaces {
  const Fragment* fragment = nullptr;
  std::vector<const StoredField*> fields;
};
void prefetch_tile_places(const ArrayFiles& files, std::span<const WantedPlaces> wanted, const Work& work);
// The same for all fields and fragments of `refs`.
void prefetch_tile_places(const ArrayFiles& files, std::span<const TileRef> refs, const Work& work);
// The same for parts of the metadata of each fragment.
void prefetch_parts(const ArrayFiles& files, std::span<const Fragment* const> fragments,
                    const std::function<std::vector<WantedPart>(const Fragment&)>& parts, const Work& work);
// Fills all ranges. Throws corrupt when a file is missing.
void fetch_ranges(const Store& store, std::span<RangeRead> reads);
// Throws corrupt when a large range reaches past the end of its file. To be called before memory is allocated for the
// range: its size comes from the footer, which may be damaged.
void check_file_size(const Store& store, const std::string& key, std::uint64_t begin, std::uint64_t end);

}  // namespace tegula::tiledb
