#include "format/zarr/snapshot.h"

#include "format/zarr/meta/schema_model.h"

namespace tegula::zarr {

Snapshot::Snapshot(ArrayMeta stored)
    : meta(std::move(stored)), schema(std::make_shared<const Schema>(schema_of(meta))) {}

}  // namespace tegula::zarr
