// Names of element types and time units, shared by datatype.cc and datatype_numpy.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tegula/datatype.h"

namespace tegula {

struct SimpleType {
  TypeId id;
  std::string_view name;
  std::uint32_t size;
  char kind;  // numpy's letter
};

const SimpleType& simple_type(TypeId id);
std::span<const SimpleType> simple_types();  // indexed by TypeId

std::string_view unit_name(TimeUnit unit);  // "Y", "M", "W", "D", "h", ... ; "" for none
// TimeUnit::none when unknown.
TimeUnit unit_from_name(std::string_view name);

}  // namespace tegula
