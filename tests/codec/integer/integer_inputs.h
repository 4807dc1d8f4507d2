// Integers of every type, for the tests of their codecs.
#pragma once

#include <initializer_list>
#include <limits>
#include <vector>

#include "base/endian.h"
#include "codec/inputs.h"
#include "codec/integer/integers.h"

namespace tegula::codec {

inline constexpr TypeId kIntegers[] = {TypeId::int8,  TypeId::int16,  TypeId::int32,  TypeId::int64,
                                       TypeId::uint8, TypeId::uint16, TypeId::uint32, TypeId::uint64};

inline std::size_t size_of(TypeId type) {
  return with_integer(type, []<class T>(T) { return sizeof(T); });
}

template <class T>
Bytes le(std::initializer_list<std::int64_t> values) {
  Bytes out(values.size() * sizeof(T));
  std::size_t at = 0;
  for (const std::int64_t v : values) {
    store_le<T>(out.data() + at, static_cast<T>(v));
    at += sizeof(T);
  }
  return out;
}

// 0, 46, 92, ... as in the vectors written by libtiledb 2.30, times and plus a number.
template <class T>
Bytes tiledb_values(std::int64_t times = 1, std::int64_t plus = 0) {
  Bytes out(9 * sizeof(T));
  const int values[] = {0, 46, 92, 138, 184, 230, 25, 71, 117};
  for (std::size_t i = 0; i < 9; ++i) store_le<T>(out.data() + i * sizeof(T), static_cast<T>(values[i] * times + plus));
  return out;
}

// Random, constant, sorted, extreme: what every coding of `type` must bring back.
inline std::vector<Input> integer_inputs(TypeId type) {
  std::vector<Input> all = inputs(size_of(type));
  with_integer(type, [&]<class T>(T) {
    using Limits = std::numeric_limits<T>;
    const auto make = [&](const char* what, std::size_t n, auto&& f) {
      Bytes data(n * sizeof(T));
      for (std::size_t i = 0; i < n; ++i) store_le<T>(data.data() + i * sizeof(T), f(i));
      all.push_back({what, std::move(data)});
    };
    make("one value", 1, [](std::size_t) { return Limits::min(); });
    make("two values", 2, [](std::size_t i) { return i ? Limits::max() : Limits::min(); });
    make("three values", 3, [](std::size_t i) { return static_cast<T>(i * i); });
    make("all extremes", 100, [](std::size_t i) { return i % 2 ? Limits::max() : Limits::min(); });
    make("largest", 70, [](std::size_t) { return Limits::max(); });
    make("smallest", 70, [](std::size_t) { return Limits::min(); });
    make("extremes now and then", 300, [](std::size_t i) {
      return i % 97 == 5 ? Limits::max() : i % 89 == 7 ? Limits::min() : static_cast<T>(i % 3);
    });
    make("ramp", 1000, [](std::size_t i) { return static_cast<T>(i * 3); });
    make("wide ramp", 65, [](std::size_t i) { return static_cast<T>(Limits::max() / 64 * static_cast<T>(i % 65)); });
  });
  return all;
}

}  // namespace tegula::codec
