#include "codec/integer/bit_width.h"

#include <gtest/gtest.h>

#include "codec/expect_kind.h"
#include "codec/integer/integer_inputs.h"

namespace tegula::codec {
namespace {

TEST(BitWidth, TileDBVectorsAndChoices) {
  struct Case {
    const char* what;
    TypeId type;
    Bytes raw;
    std::uint64_t offset;
    unsigned bits;
    const char* stored;  // null: as raw
  };
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min(),
                         kMax = std::numeric_limits<std::int64_t>::max();
  const Case cases[] = {
      {"u32", TypeId::uint32, tiledb_values<std::uint32_t>(1, 100000), 100000, 8, "00 2e 5c 8a b8 e6 19 47 75"},
      {"i64", TypeId::int64, tiledb_values<std::int64_t>(1, -100), 0xffffffffffffff9c, 16,
       "0000 2e00 5c00 8a00 b800 e600 1900 4700 7500"},
      {"i16, range 127", TypeId::int16, le<std::int16_t>({-5, 121}), 0xfffb, 8, "00 7e"},
      {"i16, range 128", TypeId::int16, le<std::int16_t>({-5, 122}), 0xfffb, 16, nullptr},
      {"u16, range 255", TypeId::uint16, le<std::uint16_t>({1000, 1254}), 1000, 8, "00 fe"},
      {"u16, range 256", TypeId::uint16, le<std::uint16_t>({1000, 1255}), 1000, 16, nullptr},
      {"i32, range overflows", TypeId::int32, le<std::int32_t>({-2147483648LL, 2147483647}), 0, 32, nullptr},
      {"i64, range overflows", TypeId::int64, le<std::int64_t>({-1, kMax}), 0, 64, nullptr},
      {"i64, widest range", TypeId::int64, le<std::int64_t>({kMin, kMax}), 0, 64, nullptr},
      {"i64, largest range", TypeId::int64, le<std::int64_t>({1, kMax}), 1, 64, nullptr},
      {"u64, range overflows", TypeId::uint64, le<std::uint64_t>({0, -1}), 0, 64, nullptr},
      {"u64, 32 bits", TypeId::uint64, le<std::uint64_t>({7, 7 + 0xfffffffeLL}), 7, 32, "00000000 feffffff"},
      {"u64, 33 bits", TypeId::uint64, le<std::uint64_t>({7, 7 + 0xffffffffLL}), 7, 64, nullptr},
      {"constant", TypeId::int32, le<std::int32_t>({-3, -3}), 0xfffffffd, 8, "00 00"},
      {"bytes", TypeId::uint8, le<std::uint8_t>({3, 4}), 3, 8, nullptr},
      {"no whole values", TypeId::int32, from_hex("0102030405"), 0, 32, nullptr},
      {"empty", TypeId::int32, {}, 0, 32, nullptr},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    const BitWidth width = bit_width_choose(c.raw, c.type);
    EXPECT_EQ(width.offset, c.offset);
    EXPECT_EQ(width.bits, c.bits);
    Bytes coded, back(c.raw.size());
    bit_width_encode(c.raw, coded, c.type, width);
    EXPECT_EQ(to_hex(coded), c.stored ? to_hex(from_hex(c.stored)) : to_hex(c.raw));
    bit_width_decode(coded, back, c.type, width.offset, width.bits);
    EXPECT_TRUE(same(back, c.raw));
  }
}

TEST(BitWidth, RoundTripsAndDamage) {
  for (const TypeId type : kIntegers) {
    for (const Input& input : integer_inputs(type)) {
      SCOPED_TRACE(input.name);
      const BitWidth width = bit_width_choose(input.data, type);
      Bytes coded, back(input.data.size());
      bit_width_encode(input.data, coded, type, width);
      bit_width_decode(coded, back, type, width.offset, width.bits);
      ASSERT_TRUE(same(back, input.data));
    }
  }
  Bytes out(16);
  const auto corrupt = [&](std::size_t stored, unsigned bits, const char* what) {
    const Bytes in(stored);
    expect_error(ErrorKind::corrupt, [&] { bit_width_decode(in, out, TypeId::uint64, 0, bits); }, what);
  };
  corrupt(3, 8, "too many");
  corrupt(1, 8, "too few");
  corrupt(8, 64, "raw, too few");
  corrupt(2, 7, "no such width");
  corrupt(0, 0, "no bits");
  // Narrow values of signed types are signed.
  bit_width_decode(from_hex("ff 01"), MutableBytes(out).first(4), TypeId::int16, 10, 8);
  EXPECT_EQ(to_hex(ByteView(out).first(4)), "09000b00");
}

}  // namespace
}  // namespace tegula::codec
