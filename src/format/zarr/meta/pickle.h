// Reads the pickles (protocol 0) that zarr 0.3.0 wrote as `__zmeta__`, as data: nothing in them is ever executed.
#pragma once

#include "base/json.h"
#include "tegula/bytes.h"
#include "tegula/datatype.h"

namespace tegula::zarr {

struct OriginalPickle {
  Json document;  // as zarr 0.4.0 would have written it, without the fill value
  Bytes fill;     // one cell
  bool fill_defined = true;
};

// Throws corrupt for damage and unsupported for any opcode or global that zarr 0.3.0 does not write.
OriginalPickle read_original_pickle(ByteView text, std::string_view name);

}  // namespace tegula::zarr
