#include "codec/integer/positive_delta.h"

#include <gtest/gtest.h>

#include "codec/expect_kind.h"
#include "codec/integer/integer_inputs.h"

namespace tegula::codec {
namespace {

TEST(PositiveDelta, TileDBVector) {
  const Bytes raw = le<std::uint16_t>({7, 12, 17, 22, 27, 32, 37, 42, 47});
  Bytes coded(raw.size()), back(raw.size());
  positive_delta_encode(raw, coded, TypeId::uint16);
  EXPECT_EQ(to_hex(coded),
            "0000"
            "0500"
            "0500"
            "0500"
            "0500"
            "0500"
            "0500"
            "0500"
            "0500");
  positive_delta_decode(coded, back, TypeId::uint16, 7);
  EXPECT_TRUE(same(back, raw));
}

TEST(PositiveDelta, RoundTripsAndRefusals) {
  for (const TypeId type : kIntegers) {
    with_integer(type, [&]<class T>(T) {
      const auto lowest = static_cast<std::int64_t>(std::numeric_limits<T>::min());
      const auto highest = static_cast<std::int64_t>(std::numeric_limits<T>::max());
      const Bytes raw = le<T>({lowest, lowest, 0, 1, 100, highest});
      if constexpr (!std::is_same_v<T, std::uint64_t>) {
        Bytes coded(raw.size()), back(raw.size());
        positive_delta_encode(raw, coded, type);
        positive_delta_decode(coded, back, type, static_cast<std::uint64_t>(lowest));
        EXPECT_TRUE(same(back, raw));
      }
      Bytes falling = le<T>({5, 4}), out(falling.size());
      expect_error(ErrorKind::invalid_argument, [&] { positive_delta_encode(falling, out, type); }, "a decrease");
    });
  }
  Bytes out(5);
  expect_error(ErrorKind::corrupt, [&] { positive_delta_decode(from_hex("0000"), out, TypeId::int16, 0); }, "sizes");
  positive_delta_decode(from_hex("0102030405"), out, TypeId::int16, 99);
  EXPECT_EQ(to_hex(out), "0102030405");
  positive_delta_decode({}, {}, TypeId::int64, 1);
  positive_delta_encode({}, {}, TypeId::int64);
}

}  // namespace
}  // namespace tegula::codec
