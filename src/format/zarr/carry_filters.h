// The filters of one version of zarr as another version spells them.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "tegula/schema.h"

namespace tegula::zarr {

// Driver::carry_filters.
std::optional<std::vector<Filter>> carry_filters(const Attribute& attribute, std::string_view from,
                                                 std::string_view to);

}  // namespace tegula::zarr
