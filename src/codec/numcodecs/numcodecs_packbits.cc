// Eight bools per byte (numcodecs "packbits").
//
//   u8 number of padding bits (0..7) | bytes, the first bool in the highest bit; the padding is at the low end of the
//   last.
#include "base/fail.h"
#include "codec/numcodecs/numcodecs.h"

namespace tegula::codec::numcodecs {

Bytes packbits_decode(ByteView in) {
  if (in.empty()) fail(ErrorKind::corrupt, "packbits: no bytes, expected at least the count of padding bits");
  const auto padding = std::to_integer<unsigned>(in[0]);
  if (padding > 7 || (in.size() == 1 && padding != 0))
    fail(ErrorKind::corrupt, "packbits: {} padding bits in {} bytes", padding, in.size() - 1);
  Bytes out((in.size() - 1) * 8 - padding);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = in[1 + i / 8] >> (7 - i % 8) & std::byte{1};
  return out;
}

Bytes packbits_encode(ByteView in) {
  Bytes out(1 + (in.size() + 7) / 8, std::byte{0});
  out[0] = static_cast<std::byte>((8 - in.size() % 8) % 8);
  for (std::size_t i = 0; i < in.size(); ++i)
    if (in[i] != std::byte{0}) out[1 + i / 8] |= std::byte{0x80} >> (i % 8);
  return out;
}

}  // namespace tegula::codec::numcodecs
