// numcodecs' json2: a list of the chunk's objects, then a dtype and the shape.
#pragma once

#include "format/zarr/codec/codec_chain.h"

namespace tegula::zarr {

// Each cell is the JSON text of one object. Throws corrupt unless there are `count` objects.
VariableCells decode_json2(ByteView text, std::uint64_t count);

}  // namespace tegula::zarr
