// User metadata: the attributes of an array or group.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/json.h"
#include "tegula/array.h"

namespace tegula::zarr {

Metadata metadata_of(const Json& attributes);
// Numbers and text of other formats become JSON.
Json json_of(const MetaValue& value);
// Entries without a value are removed.
void change_attributes(Json& attributes, const std::map<std::string, std::optional<MetaValue>>& changes);

}  // namespace tegula::zarr
