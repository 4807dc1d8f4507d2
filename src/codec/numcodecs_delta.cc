// Differences of neighbours (numcodecs "delta").
//
//   v[0] | v[1] - v[0] | ...; calculated in dtype, stored as astype.
//
// No count and no check: the number of values follows from the size. Floats are summed in order and in dtype, so that
// the rounding is that of numpy's cumsum.
#include "codec/numbers.h"
#include "codec/numcodecs.h"

namespace tegula::codec::numcodecs {

namespace {

// a + b or a - b as numpy does it in T.
template <class T>
T add(T a, T b) {
  if constexpr (std::integral<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
  } else {
    return T(Calculated<T>(a) + Calculated<T>(b));
  }
}
template <class T>
T subtract(T a, T b) {
  if constexpr (std::integral<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(a) - static_cast<U>(b));
  } else {
    return T(Calculated<T>(a) - Calculated<T>(b));
  }
}

[[noreturn]] void no_bool() { fail(ErrorKind::unsupported, "delta: there are no differences of bool"); }

}  // namespace

Bytes delta_decode(ByteView in, const Datatype& dtype, const Datatype& astype) {
  return with_number(astype, [&]<class From>(From) {
    return with_number(dtype, [&]<class T>(T) -> Bytes {
      if constexpr (std::same_as<T, bool>) {
        no_bool();
      } else {
        bool first = true;
        T sum{};
        return map_numbers<From, T>(in, astype, dtype, ErrorKind::corrupt, [&](From difference) {
          const T step = convert_number<T>(difference, ErrorKind::corrupt);
          sum = first ? step : add(sum, step);  // -0.0 stays what it is
          first = false;
          return sum;
        });
      }
    });
  });
}

Bytes delta_encode(ByteView in, const Datatype& dtype, const Datatype& astype) {
  return with_number(dtype, [&]<class T>(T) {
    return with_number(astype, [&]<class To>(To) -> Bytes {
      if constexpr (std::same_as<T, bool>) {
        no_bool();
      } else {
        bool first = true;
        T before{};
        return map_numbers<T, To>(in, dtype, astype, ErrorKind::invalid_argument, [&](T value) {
          const T step = first ? value : subtract(value, before);
          first = false;
          before = value;
          return convert_number<To>(step, ErrorKind::invalid_argument);
        });
      }
    });
  });
}

}  // namespace tegula::codec::numcodecs
