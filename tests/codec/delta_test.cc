#include "codec/integer/delta.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/endian.h"
#include "codec/expect_kind.h"
#include "codec/inputs.h"
#include "codec/integer/integers.h"

namespace tegula::codec {
namespace {

constexpr TypeId kIntegers[] = {TypeId::int8,  TypeId::int16,  TypeId::int32,  TypeId::int64,
                                TypeId::uint8, TypeId::uint16, TypeId::uint32, TypeId::uint64};

std::size_t size_of(TypeId type) {
  return with_integer(type, []<class T>(T) { return sizeof(T); });
}

template <class T>
Bytes le(std::initializer_list<std::int64_t> values) {
  Bytes out(values.size() * sizeof(T));
  std::size_t at = 0;
  for (const std::int64_t v : values) {
    store_le<T>(out.data() + at, static_cast<T>(v));
    at += sizeof(T);
  }
  return out;
}

// 0, 46, 92, ... as in the vectors written by libtiledb 2.30.
template <class T>
Bytes v(std::int64_t times = 1, std::int64_t plus = 0) {
  Bytes out(9 * sizeof(T));
  const int values[] = {0, 46, 92, 138, 184, 230, 25, 71, 117};
  for (std::size_t i = 0; i < 9; ++i) store_le<T>(out.data() + i * sizeof(T), static_cast<T>(values[i] * times + plus));
  return out;
}

// Random, constant, sorted, extreme: what every coding of `type` must bring back.
std::vector<Input> integer_inputs(TypeId type) {
  std::vector<Input> all = inputs(size_of(type));
  with_integer(type, [&]<class T>(T) {
    using Limits = std::numeric_limits<T>;
    const auto make = [&](const char* what, std::size_t n, auto&& f) {
      Bytes data(n * sizeof(T));
      for (std::size_t i = 0; i < n; ++i) store_le<T>(data.data() + i * sizeof(T), f(i));
      all.push_back({what, std::move(data)});
    };
    make("one value", 1, [](std::size_t) { return Limits::min(); });
    make("two values", 2, [](std::size_t i) { return i ? Limits::max() : Limits::min(); });
    make("three values", 3, [](std::size_t i) { return static_cast<T>(i * i); });
    make("all extremes", 100, [](std::size_t i) { return i % 2 ? Limits::max() : Limits::min(); });
    make("largest", 70, [](std::size_t) { return Limits::max(); });
    make("smallest", 70, [](std::size_t) { return Limits::min(); });
    make("extremes now and then", 300, [](std::size_t i) {
      return i % 97 == 5 ? Limits::max() : i % 89 == 7 ? Limits::min() : static_cast<T>(i % 3);
    });
    make("ramp", 1000, [](std::size_t i) { return static_cast<T>(i * 3); });
    make("wide ramp", 65, [](std::size_t i) { return static_cast<T>(Limits::max() / 64 * static_cast<T>(i % 65)); });
  });
  return all;
}

using Encode = void (*)(ByteView, Bytes&, TypeId);
using Decode = void (*)(ByteView, MutableBytes, TypeId);
struct Coding {
  const char* name;
  Encode encode;
  Decode decode;
};
constexpr Coding kCodings[] = {{"delta", delta_encode, delta_decode},
                               {"double delta", double_delta_encode, double_delta_decode}};

TEST(Delta, TileDBVectors) {
  struct Case {
    const char* what;
    const Coding& coding;
    TypeId type;
    Bytes raw;
    const char* stored;
  };
  const Case cases[] = {
      {"delta of i16", kCodings[0], TypeId::int16, v<std::int16_t>(),
       "0900000000000000 0000 2e00 2e00 2e00 2e00 2e00 33ff 2e00 2e00"},
      {"double delta of i32", kCodings[1], TypeId::int32, v<std::int32_t>(),
       "08 0900000000000000 00000000 2e000000 00ecdb0f00000000"},
      {"the first difference counts", kCodings[1], TypeId::int32, le<std::int32_t>({0, 40, 80}),
       "06 0300000000000000 00000000 28000000 0000000000000000"},
      {"one value", kCodings[1], TypeId::int16, le<std::int16_t>({-2}), "00 0100000000000000 feff"},
      {"two values", kCodings[1], TypeId::int16, le<std::int16_t>({-2, 7}), "00 0200000000000000 feff 0700"},
      {"raw", kCodings[1], TypeId::int8, le<std::int8_t>({-128, 127, -128}), "09 0300000000000000 807f80"},
      {"nothing", kCodings[1], TypeId::int8, {}, "00 0000000000000000"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    Bytes coded;
    c.coding.encode(c.raw, coded, c.type);
    EXPECT_EQ(to_hex(coded), to_hex(from_hex(c.stored)));
    Bytes back(c.raw.size());
    c.coding.decode(from_hex(c.stored), back, c.type);
    EXPECT_TRUE(same(back, c.raw));
  }
}

TEST(Delta, DecodesWhatOtherReleasesWrote) {
  Bytes back(12);
  // libtiledb before 2.29 leaves the first difference out of the bit size.
  double_delta_decode(from_hex("01 0300000000000000 00000000 28000000 0000000000000000"), back, TypeId::int32);
  EXPECT_TRUE(same(back, le<std::int32_t>({0, 40, 80})));
  // libtiledb 2.16 leaves a value behind the last difference.
  back.resize(4);
  delta_decode(from_hex("0200000000000000 0500 0100 adde"), back, TypeId::int16);
  EXPECT_TRUE(same(back, le<std::int16_t>({5, 6})));
}

TEST(Delta, RoundTrips) {
  for (const Coding& coding : kCodings) {
    for (const TypeId type : kIntegers) {
      for (const Input& input : integer_inputs(type)) {
        SCOPED_TRACE(std::string(coding.name) + ", type " + std::to_string(static_cast<int>(type)) + ", " + input.name);
        Bytes coded = from_hex("aa"), back(input.data.size());
        coding.encode(input.data, coded, type);
        ASSERT_EQ(coded[0], std::byte{0xaa});
        coding.decode(ByteView(coded).subspan(1), back, type);
        ASSERT_TRUE(same(back, input.data));
      }
    }
  }
}

TEST(Delta, TruncationAndDamage) {
  for (const Coding& coding : kCodings) {
    for (const TypeId type : kIntegers) {
      const Bytes raw = make_bytes(48 * size_of(type), [](std::size_t i) { return i % 5; });
      Bytes coded, back(raw.size());
      coding.encode(raw, coded, type);
      for (std::size_t n = 0; n < coded.size(); ++n)
        expect_error(ErrorKind::corrupt, [&] { coding.decode(ByteView(coded).first(n), back, type); }, coding.name);
      back.resize(raw.size() - 1);
      expect_error(ErrorKind::corrupt, [&] { coding.decode(coded, back, type); }, "one byte too few");
      back.resize(raw.size() + size_of(type));
      expect_error(ErrorKind::corrupt, [&] { coding.decode(coded, back, type); }, "one value too many");
      back.resize(raw.size());
      std::mt19937 random(3);
      for (int round = 0; round < 200; ++round) {
        Bytes damaged = coded;
        for (int i = 0; i < 3; ++i) damaged[random() % damaged.size()] = static_cast<std::byte>(random());
        try {
          coding.decode(damaged, back, type);
        } catch (const Error& error) {
          ASSERT_EQ(error.kind(), ErrorKind::corrupt) << error.what();
        }
      }
    }
  }
  Bytes back(16);
  expect_error(
      ErrorKind::corrupt, [&] { delta_decode(from_hex("ffffffffffffffff 00"), back, TypeId::uint64); }, "huge count");
  expect_error(
      ErrorKind::corrupt, [&] { double_delta_decode(from_hex("00 0200000000000020"), back, TypeId::uint64); },
      "a count that overflows");
  expect_error(
      ErrorKind::corrupt,
      [&] {
        double_delta_decode(from_hex("00 0200000000000000 00000000 00000000 00"), MutableBytes(back).first(8),
                            TypeId::uint32);
      },
      "a byte behind the end");
  expect_error(ErrorKind::invalid_argument, [&] { delta_encode(back, back, TypeId::float32); }, "floats");
  Bytes odd(3), out;
  expect_error(ErrorKind::invalid_argument, [&] { double_delta_encode(odd, out, TypeId::int16); }, "half a value");
}

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
      {"u32", TypeId::uint32, v<std::uint32_t>(1, 100000), 100000, 8, "00 2e 5c 8a b8 e6 19 47 75"},
      {"i64", TypeId::int64, v<std::int64_t>(1, -100), 0xffffffffffffff9c, 16,
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
