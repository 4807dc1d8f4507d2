// Fetching what tiles need: where they lie in their files, and ranges of these files.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "format/tiledb/fragment/tile_source.h"
#include "store/store.h"

namespace tegula::tiledb {

// Loads the lists that tell where the tiles of these fields lie in their files, with one request.
void prefetch_tile_places(const Fragment& fragment, std::span<const StoredField* const> fields);
// The same for all fields and fragments of `refs`, with one request per fragment.
void prefetch_tile_places(std::span<const TileRef> refs, const Work& work);
// Fills all ranges. Throws corrupt when a file is missing.
void fetch_ranges(const ArrayFiles& files, std::span<RangeRead> reads);
// Throws corrupt when a large range reaches past the end of its file. To be called before memory is allocated for the
// range: its size comes from the footer, which may be damaged.
void check_file_size(const ArrayFiles& files, const std::string& key, std::uint64_t begin, std::uint64_t end);

}  // namespace tegula::tiledb
