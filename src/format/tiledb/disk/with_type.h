// The numbers among TileDB's datatypes, and the C++ types that they are counted in.
#pragma once

#include <cstdint>
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

// Calls f with a zero of the type. Throws unsupported unless is_number(type).
template <class F>
decltype(auto) with_number(const Datatype& type, F&& f) {
  const TypeId id = type.id == TypeId::boolean ? TypeId::uint8 : type.id;
  return tegula::with_number(id, f, [&]() -> decltype(f(std::int8_t{})) {
    fail(ErrorKind::unsupported, "no arithmetic on {}", display_name(type));
  });
}

}  // namespace tegula::tiledb
