// Ranges into memory of the caller.
#pragma once

#include <cstdint>

#include "tegula/datatype.h"
#include "tegula/schema.h"

namespace tegula::capi {

// Low and high in the type's own bytes, one behind the other. Throws Refusal for null.
void put_fixed_range(const Range& range, const Datatype& type, void* into);
// Of text. Nothing happens for a null range.
void put_var_sizes(const Range* range, std::uint64_t* low, std::uint64_t* high);
void put_var_range(const Range* range, void* low, void* high);

}  // namespace tegula::capi
