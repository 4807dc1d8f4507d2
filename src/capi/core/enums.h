// Numbers of the ABI and their names.
#pragma once

#include <cstdint>
#include <string_view>

#include "tegula/datatype.h"
#include "tegula/schema.h"

namespace tegula::capi {

enum class Filesystem : std::int32_t { hdfs, s3, azure, gcs, memory };
bool supports(Filesystem filesystem);

enum class QueryType : std::int32_t { read, write, remove, update, modify_exclusive };
enum class ObjectType : std::int32_t { invalid, group, array };

// Throw Refusal for numbers that are none.
Datatype datatype_of(std::int32_t code);
Order order_of(std::int32_t layout);
std::int32_t layout_of(Order order);
std::string_view layout_name(std::int32_t layout);  // "row-major"; empty when there is none

}  // namespace tegula::capi
