// The transforms of integers and floats. Byte 0 chooses the coding, byte 1 the type, byte 2 the number of values, bytes
// 3 to 10 are a window's offset; the rest is the stored data.
//
// room: codec
#include <algorithm>

#include "base/endian.h"
#include "codec/integer/bit_width.h"
#include "codec/integer/delta.h"
#include "codec/integer/double_delta.h"
#include "codec/integer/float_scale.h"
#include "codec/integer/positive_delta.h"
#include "codec/integer/xor.h"
#include "codec/shuffle/shuffle.h"
#include "tegula/error.h"

using namespace tegula;
using namespace tegula::codec;

namespace {

constexpr TypeId kTypes[] = {TypeId::int8,  TypeId::int16,  TypeId::int32,  TypeId::int64,
                             TypeId::uint8, TypeId::uint16, TypeId::uint32, TypeId::uint64};
constexpr std::size_t kHeader = 11;

void require(bool condition) {
  if (!condition) __builtin_trap();
}
bool same(ByteView a, ByteView b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

// What an encoder makes of any bytes must decode to them.
template <class Encode, class Decode>
void check_coding(ByteView raw, TypeId type, Encode encode, Decode decode) {
  Bytes coded, back(raw.size());
  encode(raw, coded, type);
  decode(coded, back, type);
  require(same(raw, back));
}

void check_shuffles(ByteView in, std::size_t element_size) {
  Bytes fast(in.size()), plain_version(in.size());
  const auto check = [&](auto f, auto oracle) {
    f(in, fast, element_size);
    oracle(in, plain_version, element_size);
    require(same(fast, plain_version));
  };
  check(byteshuffle, plain::byteshuffle);
  check(byteunshuffle, plain::byteunshuffle);
  check(bitshuffle_block, plain::bitshuffle_block);
  check(bitunshuffle_block, plain::bitunshuffle_block);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < kHeader) return 0;
  const TypeId type = kTypes[data[1] % 8];
  const std::size_t value_size = std::size_t{1} << (data[1] % 4);
  const auto offset = load_le<std::uint64_t>(data + 3);
  const ByteView in = std::as_bytes(std::span(data, size)).subspan(kHeader);
  const ByteView whole = in.first(in.size() / value_size * value_size);
  Bytes out(data[2] * value_size);
  try {
    switch (data[0] % 8) {
      case 0:
        delta_decode(in, out, type);
        break;
      case 1:
        double_delta_decode(in, out, type);
        break;
      case 2:
        positive_delta_decode(in, out, type, offset);
        break;
      case 3:
        bit_width_decode(in, out, type, offset, data[3]);
        break;
      case 4:
        xor_decode(in, out, value_size);
        break;
      case 5: {
        const FloatScale params{load_le<double>(data + 3), 1.5, static_cast<unsigned>(value_size),
                                data[2] % 2 ? 4u : 8u};
        out.resize(whole.size() / value_size * params.float_size);
        float_scale_decode(whole, out, params);
        Bytes back(whole.size());
        float_scale_encode(out, back, params);
        break;
      }
      case 6:
        check_coding(whole, type, delta_encode, delta_decode);
        check_coding(whole, type, double_delta_encode, double_delta_decode);
        check_coding(
            in, type,
            [](ByteView raw, Bytes& coded, TypeId t) { bit_width_encode(raw, coded, t, bit_width_choose(raw, t)); },
            [&](ByteView coded, MutableBytes back, TypeId t) {
              const BitWidth width = bit_width_choose(in, t);
              bit_width_decode(coded, back, t, width.offset, width.bits);
            });
        break;
      default:
        check_shuffles(in, data[2] % 40 + 1u);
        break;
    }
  } catch (const Error&) {
  }
  return 0;
}
