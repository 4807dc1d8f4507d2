// Fill values between JSON and the bytes of one cell.
#pragma once

#include "base/json.h"
#include "tegula/bytes.h"
#include "tegula/datatype.h"

namespace tegula::zarr {

// Formats 0 and 1 convert as numpy's fill() does: 0 for text is "0", 2.5 for an integer is 2. Format 2 spells
// non-finite numbers as text, complex as a pair, bytes and records in base64. Format 3 does so too, and refuses what
// does not fit.
enum class FillStyle : std::uint8_t { numpy, v2, v3 };

// One cell of full_size() bytes in the type's byte order. Throws corrupt for a value that does not suit the type.
Bytes fill_from_json(const Json& value, const Datatype& type, FillStyle style);
// Throws unsupported for a value that the style cannot spell.
Json fill_to_json(ByteView cell, const Datatype& type, FillStyle style);

// Fill values of cells of any length: text as text, bytes in base64; `json` cells hold the JSON of the value.
Bytes var_fill_from_json(const Json& value, const Datatype& type, bool json);
Json var_fill_to_json(ByteView cell, const Datatype& type);

}  // namespace tegula::zarr
