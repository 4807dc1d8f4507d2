// `quantize` of cparams: values are rounded to this many digits before a chunk is compressed.
#pragma once

#include "tegula/bytes.h"
#include "tegula/datatype.h"

namespace tegula::bcolz {

// Rounds float32 and float64 items in place, in their own precision, to a multiple of 2^-ceil(log2(10^digits)).
// Throws unsupported for other types.
void quantize(MutableBytes items, const Datatype& type, int digits);

}  // namespace tegula::bcolz
