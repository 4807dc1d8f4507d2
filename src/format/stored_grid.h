// Stored chunks that programs which read zarr decode themselves.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tegula/schema.h"

namespace tegula {

// From `offset` to the end of the file.
struct StoredChunk {
  std::string key;
  std::uint64_t offset = 0;
};

// The chunks of one field, each a box of cells in C order and little-endian, compressed as a whole. Keeps what it needs
// of the array, which may be closed.
struct StoredGrid {
  std::vector<std::uint64_t> chunk;  // cells along each axis, those inside of cells included
  std::vector<Filter> filters;       // none or one compressor, with the names of zarr v2
  bool holes = false;                // an absent file stands for the fill value; otherwise it is damage
  // No value for a chunk that is not stored like this, such as the short one at the end of a carray.
  std::function<std::optional<StoredChunk>(std::span<const std::uint64_t> chunk)> find;
};

}  // namespace tegula
