// Format 1: zarr 1.0 and 1.1. docs/format/zarr.md, "Format 1".
#pragma once

#include "format/zarr/meta/array_meta.h"

namespace tegula::zarr {

// Throws corrupt for what no writer makes and unsupported for what this build does not know, naming it. `name` is the
// file, for error messages.
ArrayMeta parse_v1(ByteView document, std::string_view name);

}  // namespace tegula::zarr
