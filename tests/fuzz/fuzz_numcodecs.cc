// The filters of zarr v2. Byte 0 chooses the filter, bytes 1 and 2 the types, byte 3 a parameter; the rest is the
// stored data.
//
// room: codec
#include <algorithm>

#include "codec/numcodecs/numcodecs.h"
#include "tegula/error.h"

using namespace tegula;
using namespace tegula::codec;

namespace {

constexpr TypeId kTypes[] = {TypeId::boolean, TypeId::int8,    TypeId::int16,    TypeId::int32,    TypeId::int64,
                             TypeId::uint8,   TypeId::uint16,  TypeId::uint32,   TypeId::uint64,   TypeId::float16,
                             TypeId::float32, TypeId::float64, TypeId::datetime, TypeId::complex64};

Datatype type(std::uint8_t choice) {
  Datatype result(kTypes[choice % std::size(kTypes)]);
  result.big_endian = choice & 0x80;
  return result;
}

void require(bool condition) {
  if (!condition) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kHeader = 4;
  if (size < kHeader) return 0;
  const Datatype dtype = type(data[1]), astype = type(data[2]);
  const std::uint8_t parameter = data[3];
  const ByteView in = std::as_bytes(std::span(data, size)).subspan(kHeader);
  try {
    switch (data[0] % 9) {
      case 0:
        numcodecs::delta_encode(numcodecs::delta_decode(in, dtype, astype), dtype, astype);
        break;
      case 1: {
        const numcodecs::FixedScaleOffset params{parameter / 16.0, parameter - 100.0, dtype, astype};
        numcodecs::fixed_scale_offset_encode(numcodecs::fixed_scale_offset_decode(in, params), params);
        break;
      }
      case 2:
        numcodecs::quantize_encode(numcodecs::quantize_decode(in, dtype, astype), parameter - 128, dtype, astype);
        break;
      case 3:
        numcodecs::astype_encode(numcodecs::astype_decode(in, astype, dtype), astype, dtype);
        break;
      case 4: {
        const Bytes bools = numcodecs::packbits_decode(in);
        require(numcodecs::packbits_decode(numcodecs::packbits_encode(bools)) == bools);
        break;
      }
      case 5:
        numcodecs::shuffle_decode(in, parameter);
        break;
      case 6:
        numcodecs::checksum_decode(in, static_cast<numcodecs::Checksum>(parameter / 2 % 5), parameter % 2);
        break;
      case 7: {
        const numcodecs::Items items = numcodecs::vlen_decode(in, parameter);
        require(items.offsets.size() == parameter + 1u && items.offsets.back() == items.data.size());
        const Bytes again = numcodecs::vlen_encode(items.data, items.offsets);
        require(std::equal(again.begin(), again.end(), in.begin(), in.end()));
        break;
      }
      default: {
        const Bytes framed =
            numcodecs::checksum_encode(in, static_cast<numcodecs::Checksum>(parameter / 2 % 5), parameter % 2);
        const Bytes back =
            numcodecs::checksum_decode(framed, static_cast<numcodecs::Checksum>(parameter / 2 % 5), parameter % 2);
        require(std::equal(back.begin(), back.end(), in.begin(), in.end()));
        break;
      }
    }
  } catch (const Error&) {
  }
  return 0;
}
