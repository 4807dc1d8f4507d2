// Copies of stored chunks that need no decoding.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "format/stored_copy.h"
#include "format/stored_grid.h"
#include "model/cell_box.h"

namespace tegula::zarr {

// CopyHooks of zarr. Chunks fit when both arrays have the same grid, type, fill value and codecs; parameters of
// compressors that only a writer needs may differ.
bool chunks_fit(const CopySource& source, const Array& to);
std::uint64_t copy_chunks(const CopySource& source, Array& to, Store& store, const Work& work);
std::optional<std::vector<CellBox>> written_boxes(const Array& array, const Work& work);

// Driver::stored_grid: chunks in C order with at most one compressor, not in shards.
std::optional<StoredGrid> stored_grid(const Array& array, std::string_view field);

}  // namespace tegula::zarr
