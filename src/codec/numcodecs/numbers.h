// Arrays of numbers of any type and byte order, as the zarr filters need them.
#pragma once

#include <concepts>
#include <cstdint>

#include "base/endian.h"
#include "base/fail.h"
#include "base/with_type.h"
#include "codec/numcodecs/half.h"
#include "tegula/bytes.h"
#include "tegula/datatype.h"

namespace tegula::codec {

// Calls f with a value of the C++ type that stands for numbers of `type`; throws unsupported for other types.
template <class F>
decltype(auto) with_number(const Datatype& type, F&& f) {
  if (!type.shape.empty()) fail(ErrorKind::unsupported, "a filter of numbers does not take sub-arrays");
  switch (type.id) {
    case TypeId::boolean:
      return f(bool{});
    case TypeId::datetime:
    case TypeId::timedelta:
      return f(std::int64_t{});
    case TypeId::float16:
      return f(Half{});
    case TypeId::float32:
      return f(float{});
    case TypeId::float64:
      return f(double{});
    default:
      return tegula::with_integer(type.id, f, [&]() -> decltype(f(std::int8_t{})) {
        fail(ErrorKind::unsupported, "a filter of numbers does not take type {}", static_cast<int>(type.id));
      });
  }
}

// One number of type T in either byte order.
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

// The numbers of `in` in another type, as numpy converts: integers wrap, floats are truncated towards zero. A float
// that the integer cannot hold, where numpy's result depends on the processor, throws `kind`; so does a size that is
// not a multiple of the type.
Bytes convert_numbers(ByteView in, const Datatype& from, const Datatype& to, ErrorKind kind);

// Replaces every number of type T by f(number), in order.
template <class T, class F>
void map_numbers(Bytes& numbers, bool big_endian, F&& f) {
  for (std::size_t at = 0; at < numbers.size(); at += sizeof(T))
    store_number<T>(numbers.data() + at, f(load_number<T>(numbers.data() + at, big_endian)), big_endian);
}

}  // namespace tegula::codec
