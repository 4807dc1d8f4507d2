// Format 2: zarr 2.x. docs/format/zarr.md, "Format 2".
#pragma once

#include "format/zarr/meta/array_meta.h"

namespace tegula::zarr {

// Throws corrupt for what no writer makes and unsupported for what this build does not know, naming it. `name` is the
// file, for error messages.
ArrayMeta parse_v2(ByteView document, std::string_view name);
ArrayMeta parse_v2(Json document, std::string_view name);

}  // namespace tegula::zarr
