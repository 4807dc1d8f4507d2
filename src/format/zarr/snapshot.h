// What a handle knows about its array at one moment.
#pragma once

#include <memory>

#include "format/zarr/meta/array_meta.h"
#include "tegula/schema.h"

namespace tegula::zarr {

// Immutable once made: reads and queries keep the one they started with while a change makes the next.
struct Snapshot {
  explicit Snapshot(ArrayMeta stored);

  ArrayMeta meta;
  std::shared_ptr<const Schema> schema;
};

}  // namespace tegula::zarr
