// Format 3: zarr 3.x. docs/format/zarr.md, "Format 3".
#pragma once

#include <span>

#include "format/zarr/meta/array_meta.h"

namespace tegula::zarr {

// Throws corrupt for what no writer makes and unsupported for what this build does not know, naming it. `name` is the
// file, for error messages.
ArrayMeta parse_v3(ByteView document, std::string_view name);
ArrayMeta parse_v3(Json document, std::string_view name);

// Throws unsupported for a member of `object` that is not `known` and must be understood. `what` names the object.
void check_extensions(const Json& object, std::span<const std::string_view> known, std::string_view what);

}  // namespace tegula::zarr
