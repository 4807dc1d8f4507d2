// Coordinates as unsigned integers of the same order, so that searches and sorts compare plain numbers.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/endian.h"
#include "format/tiledb/disk/with_type.h"
#include "tegula/bytes.h"

namespace tegula::tiledb {

// Equal numbers become equal integers, the two zeros of floats included.
template <class T>
constexpr std::uint64_t to_ordered(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    constexpr Bits kSign = Bits{1} << (sizeof(T) * 8 - 1);
    const Bits bits = std::bit_cast<Bits>(value == T{0} ? T{0} : value);
    return (bits & kSign) ? static_cast<Bits>(~bits) : static_cast<Bits>(bits | kSign);
  } else if constexpr (std::is_signed_v<T>) {
    using Bits = std::make_unsigned_t<T>;
    return static_cast<Bits>(static_cast<Bits>(value) ^ (Bits{1} << (sizeof(T) * 8 - 1)));
  } else {
    return value;
  }
}

// One value of a fixed-size dimension.
inline std::uint64_t to_ordered(const Datatype& type, const std::byte* value) {
  return with_number(type, [&]<class T>(T) { return to_ordered(load_le<T>(value)); });
}

// The inverse.
template <class T>
constexpr T from_ordered(std::uint64_t ordered) {
  if constexpr (std::is_floating_point_v<T>) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    constexpr Bits kSign = Bits{1} << (sizeof(T) * 8 - 1);
    const Bits bits = static_cast<Bits>(ordered);
    return std::bit_cast<T>((bits & kSign) ? static_cast<Bits>(bits ^ kSign) : static_cast<Bits>(~bits));
  } else {
    using Bits = std::make_unsigned_t<T>;
    const Bits flip = std::is_signed_v<T> ? static_cast<Bits>(Bits{1} << (sizeof(T) * 8 - 1)) : Bits{0};
    return static_cast<T>(static_cast<Bits>(static_cast<Bits>(ordered) ^ flip));
  }
}
inline void from_ordered(const Datatype& type, std::uint64_t ordered, std::byte* out) {
  with_number(type, [&]<class T>(T) { store_le<T>(out, from_ordered<T>(ordered)); });
}

}  // namespace tegula::tiledb
