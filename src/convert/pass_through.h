// Copies of zarr chunks that need no decoding.
#pragma once

#include <cstdint>
#include <optional>

#include "store/store.h"
#include "tegula/array.h"

namespace tegula {

// True when the stored chunks of `source` are, byte for byte, chunks of `target`: the same grid, type, fill value and
// codecs. Parameters of compressors that only a writer needs may differ.
bool chunks_fit(const Array& source, const Array& target);

// Copies the chunk files that `store`, the target's, does not have yet; chunks that are absent stay absent. Nothing is
// decoded, so damage is copied as it is. Returns the number of chunks that are there now.
std::uint64_t pass_chunks(const Array& source, const Array& target, Store& store, const Work& work);

}  // namespace tegula
