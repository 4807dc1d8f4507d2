// From a TypeId to the C++ type it names.
#pragma once

#include <cstdint>
#include <utility>

#include "tegula/datatype.h"

namespace tegula {

// Calls f with a zero of the integer type; returns otherwise() for any other type, which usually throws.
template <class F, class Otherwise>
auto with_integer(TypeId type, F&& f, Otherwise&& otherwise) -> decltype(f(std::int8_t{})) {
  switch (type) {
    case TypeId::int8:
      return f(std::int8_t{});
    case TypeId::int16:
      return f(std::int16_t{});
    case TypeId::int32:
      return f(std::int32_t{});
    case TypeId::int64:
      return f(std::int64_t{});
    case TypeId::uint8:
      return f(std::uint8_t{});
    case TypeId::uint16:
      return f(std::uint16_t{});
    case TypeId::uint32:
      return f(std::uint32_t{});
    case TypeId::uint64:
      return f(std::uint64_t{});
    default:
      return otherwise();
  }
}

// The same for everything that C++ can calculate with: integers, floats of 4 and 8 bytes, and dates and times, which
// are counted in int64.
template <class F, class Otherwise>
auto with_number(TypeId type, F&& f, Otherwise&& otherwise) -> decltype(f(std::int8_t{})) {
  switch (type) {
    case TypeId::datetime:
    case TypeId::timedelta:
      return f(std::int64_t{});
    case TypeId::float32:
      return f(float{});
    case TypeId::float64:
      return f(double{});
    default:
      return with_integer(type, std::forward<F>(f), std::forward<Otherwise>(otherwise));
  }
}

}  // namespace tegula
