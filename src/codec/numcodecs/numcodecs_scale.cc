// Scaled and rounded floats (numcodecs "fixedscaleoffset" and "quantize"); lossy.
//
//   fixedscaleoffset: round((v - offset) * scale) as astype;  v = e / scale + offset.
//   quantize:         round(v * s) / s as astype, s = 2^ceil(log2(10^digits)) with digits rounded to an integer away
//   from zero.
//
// Rounding is to even. numpy calculates floats in their own type and integers in float64; numcodecs calculates integers
// with an integer scale and offset in the integer type when it encodes, which gives other bytes only where that wraps.
#include <cmath>

#include "codec/numcodecs/numbers.h"
#include "codec/numcodecs/numcodecs.h"

namespace tegula::codec::numcodecs {

namespace {

// The type numpy calculates in when an array of `type` meets a Python float.
Datatype working_type(const Datatype& type) {
  return type.is_float() ? Datatype(type.id, type.size) : Datatype(TypeId::float64);
}

enum class Round { after_first, after_second, never };

// Replaces every number by second(first(number, a), b), where a, b and both results are rounded to the working type.
template <class First, class Second>
void calculate(Bytes& numbers, const Datatype& work, double a, double b, First first, Second second, Round round) {
  const auto in_type = [&]<class T>(T) {
    // One operation on halves, done in double and then rounded, gives the same result.
    using C = std::conditional_t<std::same_as<T, Half>, double, T>;
    const C a_rounded = static_cast<C>(T(a)), b_rounded = static_cast<C>(T(b));
    map_numbers<T>(numbers, work.big_endian, [&](T value) {
      C result = static_cast<C>(T(first(static_cast<C>(value), a_rounded)));
      if (round == Round::after_first) result = std::nearbyint(result);
      result = static_cast<C>(T(second(result, b_rounded)));
      if (round == Round::after_second) result = std::nearbyint(result);
      return T(result);
    });
  };
  if (work.id == TypeId::float16)
    in_type(Half{});
  else if (work.id == TypeId::float32)
    in_type(float{});
  else
    in_type(double{});
}

constexpr auto kPlus = [](auto a, auto b) { return a + b; };
constexpr auto kMinus = [](auto a, auto b) { return a - b; };
constexpr auto kTimes = [](auto a, auto b) { return a * b; };
constexpr auto kOver = [](auto a, auto b) { return a / b; };

void check_floats(const Datatype& dtype, const Datatype& astype) {
  if (!dtype.is_float() || !astype.is_float()) fail(ErrorKind::unsupported, "quantize: only for floats");
}

}  // namespace

Bytes fixed_scale_offset_decode(ByteView in, const FixedScaleOffset& params) {
  const Datatype work = working_type(params.astype);
  Bytes numbers = convert_numbers(in, params.astype, work, ErrorKind::corrupt);
  calculate(numbers, work, params.scale, params.offset, kOver, kPlus, Round::never);
  return convert_numbers(numbers, work, params.dtype, ErrorKind::corrupt);
}

Bytes fixed_scale_offset_encode(ByteView in, const FixedScaleOffset& params) {
  const Datatype work = working_type(params.dtype);
  Bytes numbers = convert_numbers(in, params.dtype, work, ErrorKind::invalid_argument);
  calculate(numbers, work, params.offset, params.scale, kMinus, kTimes, Round::after_second);
  return convert_numbers(numbers, work, params.astype, ErrorKind::invalid_argument);
}

Bytes quantize_decode(ByteView in, const Datatype& dtype, const Datatype& astype) {
  check_floats(dtype, astype);
  return convert_numbers(in, astype, dtype, ErrorKind::corrupt);
}

Bytes quantize_encode(ByteView in, int digits, const Datatype& dtype, const Datatype& astype) {
  check_floats(dtype, astype);
  const double exponent = std::log10(std::pow(10.0, -digits));
  const double whole = exponent < 0 ? std::floor(exponent) : std::ceil(exponent);
  const double scale = std::exp2(std::ceil(std::log2(std::pow(10.0, -whole))));
  const Datatype work = working_type(dtype);
  Bytes numbers = convert_numbers(in, dtype, work, ErrorKind::invalid_argument);
  calculate(numbers, work, scale, scale, kTimes, kOver, Round::after_first);
  return convert_numbers(numbers, work, astype, ErrorKind::invalid_argument);
}

}  // namespace tegula::codec::numcodecs
