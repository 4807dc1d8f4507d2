// What loading and streaming tiles share: fetching lists of offsets and ranges of data files.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "format/tiledb/fragment/tile_source.h"
#include "store/store.h"

namespace tegula::tiledb {

// The lists that tell where the tiles lie, with one request per fragment.
void prefetch_offsets(std::span<const TileRef> refs, const Work& work);
// Fills all ranges; a file that is not there is Error(corrupt).
void fetch_ranges(const ArrayFiles& files, std::span<RangeRead> reads);
// Before much memory is taken for a range: the size of the file comes from the footer, which may be damaged.
void check_file_size(const ArrayFiles& files, const std::string& key, std::uint64_t begin, std::uint64_t end);

}  // namespace tegula::tiledb
