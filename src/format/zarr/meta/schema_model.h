// An array's metadata as a schema of the array model.
#pragma once

#include <string>
#include <vector>

#include "format/zarr/meta/array_meta.h"
#include "tegula/schema.h"

namespace tegula::zarr {

Schema schema_of(const ArrayMeta& meta);
// Axis names: dimension_names, else the attribute _ARRAY_DIMENSIONS, else dim_0, dim_1, ...
std::vector<std::string> axis_names(const ArrayMeta& meta);

}  // namespace tegula::zarr
