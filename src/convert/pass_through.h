// Copies of zarr and bcolz chunks that need no decoding.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "convert/target.h"
#include "store/store.h"
#include "tegula/array.h"

namespace tegula {

// True when the stored chunks of `source` are, byte for byte, chunks of `target`: the same grid, type, fill value and
// codecs. Parameters of compressors that only a writer needs may differ.
bool chunks_fit(const Array& source, const Array& target);

// Copies the chunk files that `store`, the target's, does not have yet; chunks that are absent stay absent. Nothing is
// decoded, so damage is copied as it is. Returns the number of chunks that are there now.
std::uint64_t pass_chunks(const Array& source, const Array& target, Store& store, const Work& work);

// The same for bcolz: is the target that carray or table, or some columns of it, in the same chunks and compressed
// alike?
bool carrays_fit(const Array& source, const Target& target);

// Copies the chunk files of the columns `fields` into a carray or table without rows, which then has those of the
// source; files that are there already stay. Throws not_found for a chunk that is not there.
std::uint64_t pass_carrays(const Array& source, const std::vector<std::string>& fields, Array& target,
                           const Work& work);

}  // namespace tegula
