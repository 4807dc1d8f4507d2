// Metadata values in and out, for arrays and groups.
#pragma once

#include <cstdint>
#include <optional>

#include "tegula/array.h"

namespace tegula::capi {

// A value that the caller passed; `value` may be null when it is empty. Throws Refusal.
MetaValue metadata_value(std::int32_t type, std::uint32_t count, const void* value);

// Results; borrowed from the metadata. A key that is missing gives a null value, and nothing else is touched.
void get_value(const Metadata& metadata, const char* key, std::int32_t* type, std::uint32_t* count, const void** value);
void get_value_at(const Metadata& metadata, std::uint64_t index, const char** key, std::uint32_t* key_length,
                  std::int32_t* type, std::uint32_t* count, const void** value);
void has_key(const Metadata& metadata, const char* key, std::int32_t* type, std::int32_t* has);

}  // namespace tegula::capi
