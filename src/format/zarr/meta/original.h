// Format 0: zarr 0.3.0 (a pickle) and 0.4.0 (JSON). docs/format/zarr.md, "The original layout".
#pragma once

#include "format/zarr/meta/array_meta.h"

namespace tegula::zarr {

// Throws corrupt for what no writer makes and unsupported for what this build does not know, naming it. `name` is the
// file, for error messages.
ArrayMeta parse_original(ByteView document, std::string_view name);

}  // namespace tegula::zarr
