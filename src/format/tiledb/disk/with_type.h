// Choosing the C++ type in which a TileDB datatype is counted.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "base/fail.h"
#include "base/with_type.h"
#include "tegula/datatype.h"

namespace tegula::tiledb {

// Integers, floats, dates, and booleans as uint8: what a dimension or a statistic can be.
inline bool is_number(const Datatype& type) {
  return type.is_integer() || type.is_date() || type.id == TypeId::boolean || type.id == TypeId::float32 ||
         type.id == TypeId::float64;
}

// Calls f with a zero of the type.
template <class F>
decltype(auto) with_number(const Datatype& type, F&& f) {
  switch (type.id) {
    case TypeId::datetime:
    case TypeId::timedelta:
      return f(std::int64_t{});
    case TypeId::boolean:
      return f(std::uint8_t{});
    case TypeId::float32:
      return f(float{});
    case TypeId::float64:
      return f(double{});
    default:
      return tegula::with_integer(type.id, f, [&]() -> decltype(f(std::int8_t{})) {
        fail(ErrorKind::unsupported, "no arithmetic on {}", display_name(type));
      });
  }
}

}  // namespace tegula::tiledb
