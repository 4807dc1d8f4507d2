// Rounding of mantissas (numcodecs "bitround"): the bits that are not kept become zero, so that a compressor finds
// them.
#include "codec/numcodecs/numbers.h"
#include "codec/numcodecs/numcodecs.h"

namespace tegula::codec::numcodecs {

namespace {

// Adding to the bits as to an integer carries into the exponent where rounding reaches the next power of two. NaN is
// left alone: numcodecs makes -0.0 or another number of it when the carry leaves the exponent.
template <class Bits>
Bytes rounded(ByteView in, int mantissa, int dropped, bool big_endian) {
  Bytes out = copy_of(in);
  const auto half = static_cast<Bits>((Bits{1} << (dropped - 1)) - 1);
  const auto kept = static_cast<Bits>(~((Bits{1} << dropped) - 1));
  const auto infinity = static_cast<Bits>((static_cast<Bits>(~Bits{0}) >> 1) & ~((Bits{1} << mantissa) - 1));
  const auto magnitude = static_cast<Bits>(static_cast<Bits>(~Bits{0}) >> 1);
  map_numbers<Bits>(out, big_endian, [&](Bits bits) {
    if ((bits & magnitude) > infinity) return bits;
    return static_cast<Bits>((bits + ((bits >> dropped) & 1) + half) & kept);
  });
  return out;
}

}  // namespace

Bytes bitround_decode(ByteView in) { return copy_of(in); }

Bytes bitround_encode(ByteView in, int keep_bits, const Datatype& dtype) {
  struct Mantissa {
    TypeId type;
    int bits;
    Bytes (*round)(ByteView, int mantissa, int dropped, bool big_endian);
  };
  constexpr Mantissa kMantissas[] = {{TypeId::float16, 10, rounded<std::uint16_t>},
                                     {TypeId::float32, 23, rounded<std::uint32_t>},
                                     {TypeId::float64, 52, rounded<std::uint64_t>}};
  for (const Mantissa& mantissa : kMantissas) {
    if (mantissa.type != dtype.id) continue;
    if (keep_bits < 0 || keep_bits > mantissa.bits)
      fail(ErrorKind::invalid_argument, "bitround keeps {} bits, the mantissa has {}", keep_bits, mantissa.bits);
    if (in.size() % dtype.size != 0)
      fail(ErrorKind::invalid_argument, "bitround: {} bytes are no whole number of floats of {}", in.size(),
           dtype.size);
    if (keep_bits == mantissa.bits) return copy_of(in);
    return mantissa.round(in, mantissa.bits, mantissa.bits - keep_bits, dtype.big_endian);
  }
  fail(ErrorKind::unsupported, "bitround rounds floats only");
}

}  // namespace tegula::codec::numcodecs
