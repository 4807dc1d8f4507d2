// Arrays of numbers of any type and byte order, as the zarr filters need them.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/endian.h"
#include "base/fail.h"
#include "codec/half.h"
#include "tegula/bytes.h"
#include "tegula/datatype.h"

namespace tegula::codec {

// Calls f with a value of the C++ type that stands for numbers of `type`; throws unsupported for other types.
template <class F>
decltype(auto) with_number(const Datatype& type, F&& f) {
  if (!type.shape.empty()) fail(ErrorKind::unsupported, "a filter of numbers was asked for sub-arrays");
  switch (type.id) {
    case TypeId::boolean:
      return f(bool{});
    case TypeId::int8:
      return f(std::int8_t{});
    case TypeId::int16:
      return f(std::int16_t{});
    case TypeId::int32:
      return f(std::int32_t{});
    case TypeId::datetime:
    case TypeId::timedelta:
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
    case TypeId::float16:
      return f(Half{});
    case TypeId::float32:
      return f(float{});
    case TypeId::float64:
      return f(double{});
    default:
      fail(ErrorKind::unsupported, "a filter of numbers was asked for type {}", static_cast<int>(type.id));
  }
}

// Elements of type T in bytes of either order.
template <class T>
T load_number(const std::byte* from, bool big_endian) {
  if constexpr (std::same_as<T, Half>) {
    Half half;
    half.bits = load_number<std::uint16_t>(from, big_endian);
    return half;
  } else if constexpr (std::same_as<T, bool>) {
    return *from != std::byte{0};
  } else {
    return big_endian ? load_be<T>(from) : load_le<T>(from);
  }
}
template <class T>
void store_number(std::byte* to, T value, bool big_endian) {
  if constexpr (std::same_as<T, Half>) {
    store_number<std::uint16_t>(to, value.bits, big_endian);
  } else {
    big_endian ? store_be<T>(to, value) : store_le<T>(to, value);
  }
}

// numpy's conversion: integers wrap, floats are cut towards zero. A float that the integer cannot hold, which numpy
// leaves to the processor, throws `kind`.
template <class To, class From>
To convert_number(From value, ErrorKind kind) {
  if constexpr (std::same_as<To, From>) {
    return value;
  } else if constexpr (std::same_as<From, Half>) {
    return convert_number<To>(static_cast<double>(value), kind);
  } else if constexpr (std::same_as<To, Half>) {
    return Half(static_cast<double>(value));
  } else if constexpr (std::same_as<To, bool>) {
    return value != From{0};
  } else if constexpr (std::floating_point<From> && std::integral<To>) {
    constexpr int digits = std::numeric_limits<To>::digits;
    const From above = std::ldexp(From{1}, digits);
    const From below = std::is_signed_v<To> ? -above : From{0};
    const From cut = std::trunc(value);
    if (!(cut >= below && cut < above)) fail(kind, "{} is no integer of {} bytes", value, sizeof(To));
    return static_cast<To>(cut);
  } else {
    return static_cast<To>(value);
  }
}

// Applies `f(From) -> To` to all elements of `in`.
template <class From, class To, class F>
Bytes map_numbers(ByteView in, const Datatype& from, const Datatype& to, ErrorKind kind, F&& f) {
  if (in.size() % sizeof(From) != 0) fail(kind, "{} bytes are not whole numbers of {} bytes", in.size(), sizeof(From));
  const std::size_t n = in.size() / sizeof(From);
  Bytes out(n * sizeof(To));
  for (std::size_t i = 0; i < n; ++i)
    store_number<To>(out.data() + i * sizeof(To), f(load_number<From>(in.data() + i * sizeof(From), from.big_endian)),
                     to.big_endian);
  return out;
}

// A float that rounds to T after each operation; float16 is calculated in double, which rounds the same for one
// operation.
template <class T>
using Calculated = std::conditional_t<std::same_as<T, Half>, double, T>;
template <class T>
Calculated<T> rounded(Calculated<T> value) {
  if constexpr (std::same_as<T, Half>)
    return static_cast<double>(Half(value));
  else
    return value;
}

}  // namespace tegula::codec
