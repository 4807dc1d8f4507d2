// The typed dispatch of base/with_type.h, with the errors of the integer codecs.
#pragma once

#include <cstdint>

#include "base/fail.h"
#include "base/with_type.h"
#include "tegula/datatype.h"

namespace tegula::codec {

// Calls f with a zero of the integer type; throws invalid_argument for any other type.
template <class F>
decltype(auto) with_integer(TypeId type, F&& f) {
  return tegula::with_integer(type, f, [&]() -> decltype(f(std::int8_t{})) {
    fail(ErrorKind::invalid_argument, "a transform of integers does not take type {}", static_cast<int>(type));
  });
}

// Calls f with a zero of the unsigned integer of `size` bytes; throws `kind` for sizes other than 1, 2, 4, 8.
template <class F>
decltype(auto) with_unsigned(std::uint64_t size, ErrorKind kind, F&& f) {
  switch (size) {
    case 1:
      return f(std::uint8_t{});
    case 2:
      return f(std::uint16_t{});
    case 4:
      return f(std::uint32_t{});
    case 8:
      return f(std::uint64_t{});
    default:
      fail(kind, "an integer of {} bytes, expected 1, 2, 4 or 8", size);
  }
}

}  // namespace tegula::codec
