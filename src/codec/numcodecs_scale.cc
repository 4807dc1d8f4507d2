// Scaled and rounded floats (numcodecs "fixedscaleoffset" and "quantize"); lossy.
//
//   fixedscaleoffset: round((v - offset) * scale) as astype;  v = e / scale + offset.
//   quantize:         round(v * s) / s as astype, s = 2^ceil(log2(10^digits)) with digits cut to an integer away from
//   zero.
//
// Rounding is to even. numpy calculates floats in their own type and integers in float64; numcodecs calculates integers
// with an integer scale and offset in the integer type when it encodes, which gives other bytes only where that wraps.
#include "codec/numbers.h"
#include "codec/numcodecs.h"

namespace tegula::codec::numcodecs {

namespace {

// The type numpy calculates in when an array of T meets a Python float.
template <class T>
using Work = std::conditional_t<std::integral<T>, double, T>;

}  // namespace

Bytes fixed_scale_offset_decode(ByteView in, const FixedScaleOffset& params) {
  return with_number(params.astype, [&]<class From>(From) {
    return with_number(params.dtype, [&]<class To>(To) {
      using W = Work<From>;
      const auto scale = Calculated<W>(W(params.scale)), offset = Calculated<W>(W(params.offset));
      return map_numbers<From, To>(in, params.astype, params.dtype, ErrorKind::corrupt, [&](From stored) {
        const auto quotient = rounded<W>(static_cast<Calculated<W>>(stored) / scale);
        return convert_number<To>(W(quotient + offset), ErrorKind::corrupt);
      });
    });
  });
}

Bytes fixed_scale_offset_encode(ByteView in, const FixedScaleOffset& params) {
  return with_number(params.dtype, [&]<class From>(From) {
    return with_number(params.astype, [&]<class To>(To) {
      using W = Work<From>;
      const auto scale = Calculated<W>(W(params.scale)), offset = Calculated<W>(W(params.offset));
      return map_numbers<From, To>(in, params.dtype, params.astype, ErrorKind::invalid_argument, [&](From value) {
        const auto difference = rounded<W>(static_cast<Calculated<W>>(value) - offset);
        return convert_number<To>(W(std::nearbyint(rounded<W>(difference * scale))), ErrorKind::invalid_argument);
      });
    });
  });
}

namespace {

void check_floats(const Datatype& dtype, const Datatype& astype) {
  if (!dtype.is_float() || !astype.is_float()) fail(ErrorKind::unsupported, "quantize: only for floats");
}

}  // namespace

Bytes quantize_decode(ByteView in, const Datatype& dtype, const Datatype& astype) {
  check_floats(dtype, astype);
  return astype_decode(in, astype, dtype);
}

Bytes quantize_encode(ByteView in, int digits, const Datatype& dtype, const Datatype& astype) {
  check_floats(dtype, astype);
  const double exponent = std::log10(std::pow(10.0, -digits));
  const double whole = exponent < 0 ? std::floor(exponent) : std::ceil(exponent);
  const double factor = std::exp2(std::ceil(std::log2(std::pow(10.0, -whole))));
  return with_number(dtype, [&]<class From>(From) -> Bytes {
    if constexpr (std::integral<From>) {
      fail(ErrorKind::unsupported, "quantize: only for floats");
    } else {
      return with_number(astype, [&]<class To>(To) {
        const auto scale = Calculated<From>(From(factor));
        return map_numbers<From, To>(in, dtype, astype, ErrorKind::invalid_argument, [&](From value) {
          const auto scaled = std::nearbyint(rounded<From>(static_cast<Calculated<From>>(value) * scale));
          return convert_number<To>(From(scaled / scale), ErrorKind::invalid_argument);
        });
      });
    }
  });
}

}  // namespace tegula::codec::numcodecs
