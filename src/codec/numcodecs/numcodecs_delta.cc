// Differences of neighbours (numcodecs "delta").
//
//   v[0] | v[1] - v[0] | ...; calculated in dtype, stored as astype.
//
// No count and no check: the number of values follows from the size. Floats are summed in order and in dtype, so that
// the rounding is that of numpy's cumsum.
#include "codec/numcodecs/numbers.h"
#include "codec/numcodecs/numcodecs.h"

namespace tegula::codec::numcodecs {

namespace {

// a + b or a - b as numpy does it in T.
template <class T>
T combine(T a, T b, bool minus) {
  if constexpr (std::integral<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(minus ? static_cast<U>(a) - static_cast<U>(b) : static_cast<U>(a) + static_cast<U>(b));
  } else if constexpr (std::same_as<T, Half>) {
    // The sum of two halves is exact in double.
    return Half(minus ? static_cast<double>(a) - static_cast<double>(b)
                      : static_cast<double>(a) + static_cast<double>(b));
  } else {
    return minus ? a - b : a + b;
  }
}

// Calls f with the type of the numbers and the first number, or not at all when there is none.
template <class F>
void with_first(const Bytes& numbers, const Datatype& dtype, F&& f) {
  with_number(dtype, [&]<class T>(T) {
    if constexpr (std::same_as<T, bool>)
      fail(ErrorKind::unsupported, "delta: there are no differences of bool");
    else if (!numbers.empty())
      f(load_number<T>(numbers.data(), dtype.big_endian));
  });
}

}  // namespace

Bytes delta_decode(ByteView in, const Datatype& dtype, const Datatype& astype) {
  Bytes numbers = convert_numbers(in, astype, dtype, ErrorKind::corrupt);
  with_first(numbers, dtype, [&]<class T>(T sum) {
    bool first = true;  // kept unchanged: adding it to 0 would lose the sign of -0.0
    map_numbers<T>(numbers, dtype.big_endian, [&](T step) {
      sum = first ? sum : combine(sum, step, false);
      first = false;
      return sum;
    });
  });
  return numbers;
}

Bytes delta_encode(ByteView in, const Datatype& dtype, const Datatype& astype) {
  Bytes numbers = convert_numbers(in, dtype, dtype, ErrorKind::invalid_argument);
  with_first(numbers, dtype, [&]<class T>(T before) {
    bool first = true;
    map_numbers<T>(numbers, dtype.big_endian, [&](T value) {
      const T step = first ? value : combine(value, before, true);
      first = false;
      before = value;
      return step;
    });
  });
  return convert_numbers(numbers, dtype, astype, ErrorKind::invalid_argument);
}

}  // namespace tegula::codec::numcodecs
