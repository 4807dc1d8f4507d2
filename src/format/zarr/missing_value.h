// The value that stands for missing ones: _FillValue of the CF conventions, as xarray keeps it.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "tegula/array.h"

namespace tegula::zarr {

// As JSON. In format 3 it is an attribute, for floats the base64 text of a little-endian double. In format 2 it is the
// fill value of arrays that xarray wrote, which name their dimensions in an attribute. No value: there is none.
std::optional<MetaValue> missing_value(const Array& array);

// Says it in the way of the format of a new array: changes its schema, or the metadata that it will get.
void mark_missing(Schema& schema, const MetaValue& value, std::map<std::string, std::optional<MetaValue>>& metadata);

}  // namespace tegula::zarr
