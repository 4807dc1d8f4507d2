// Element types as the metadata documents spell them.
#pragma once

#include "base/json.h"
#include "tegula/datatype.h"

namespace tegula::zarr {

// Formats 0 to 2: "<i4", or for records [["a", "<i4"], ["b", "<f8", [2]]], nested. Throws corrupt for JSON of another
// form and unsupported for an unknown type. "|O" gives TypeId::object.
Datatype numpy_dtype(const Json& json);
Json numpy_dtype_json(const Datatype& type);

// Format 3, little-endian: "int32", {"name": "numpy.datetime64", "configuration": {...}}. Text and bytes of any length
// give utf8 and blob, for which `var` is set.
Datatype v3_dtype(const Json& json, bool& var);
// Throws unsupported for a type that format 3 lacks.
Json v3_dtype_json(const Datatype& type, bool var);

}  // namespace tegula::zarr
