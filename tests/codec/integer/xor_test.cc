#include "codec/integer/xor.h"

#include <gtest/gtest.h>

#include "codec/expect_kind.h"
#include "codec/inputs.h"

namespace tegula::codec {
namespace {

TEST(Xor, TileDBVectorAndRoundTrips) {
  const char* raw =
      "000000000000f03f 000000000000f03f 0000000000000040 0000000000000040 0000000000000840 0000000000000840"
      "0000000000000000 0000000000000000 000000000000f0bf";
  const char* stored =
      "000000000000f03f 0000000000000000 000000000000f07f 0000000000000000 0000000000000800 0000000000000000"
      "0000000000000840 0000000000000000 000000000000f0bf";
  Bytes out(72);
  xor_encode(from_hex(raw), out, 8);
  EXPECT_EQ(to_hex(out), to_hex(from_hex(stored)));
  xor_decode(from_hex(stored), out, 8);
  EXPECT_EQ(to_hex(out), to_hex(from_hex(raw)));
  for (const std::size_t size : {1, 2, 4, 8}) {
    for (const Input& input : inputs(size)) {
      Bytes coded(input.data.size()), back(input.data.size());
      xor_encode(input.data, coded, size);
      xor_decode(coded, back, size);
      ASSERT_TRUE(same(back, input.data));
    }
  }
  expect_error(
      ErrorKind::corrupt, [&] { xor_decode(from_hex("000000"), MutableBytes(out).first(3), 2); }, "half a value");
  expect_error(ErrorKind::corrupt, [&] { xor_decode(from_hex("0000"), MutableBytes(out).first(4), 2); }, "sizes");
  expect_error(
      ErrorKind::invalid_argument, [&] { xor_decode(from_hex("000000"), MutableBytes(out).first(3), 3); }, "3");
}

}  // namespace
}  // namespace tegula::codec
