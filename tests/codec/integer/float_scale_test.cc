#include "codec/integer/float_scale.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/endian.h"
#include "codec/expect_kind.h"
#include "codec/inputs.h"

namespace tegula::codec {
namespace {

template <class T>
Bytes le(std::initializer_list<double> values) {
  Bytes out(values.size() * sizeof(T));
  std::size_t at = 0;
  for (const double v : values) {
    store_le<T>(out.data() + at, static_cast<T>(v));
    at += sizeof(T);
  }
  return out;
}

struct Case {
  const char* what;
  FloatScale params;
  Bytes raw;
  const char* stored;
  Bytes decoded;
};

TEST(FloatScale, Vectors) {
  const Bytes quarters = le<double>({10, 10.25, 10.5, 10.75, 11, 11.25, 11.5, 11.75, 12});
  const Case cases[] = {
      // Written by libtiledb 2.30.
      {"quarters", {0.25, 10, 2, 8}, quarters, "0000 0100 0200 0300 0400 0500 0600 0700 0800", quarters},
      {"halves away from zero",
       {1, 0, 1, 8},
       le<double>({0.5, -0.5, 1.5, 2.5, -2.5}),
       "01 ff 02 03 fd",
       le<double>({1, -1, 2, 3, -3})},
      // 0.3f / 0.1f is 3 in float; the value comes back as float(0.1 * 3).
      {"in the type of the value",
       {0.1, 0, 4, 4},
       le<float>({0.3, -0.75}),
       "03000000 f8ffffff",
       le<float>({0.1 * 3, -0.8})},
      {"the whole of 8 bits", {2, 1, 1, 4}, le<float>({-255, 255}), "80 7f", le<float>({-255, 255})},
      {"the lower end of 64 bits", {1, 0, 8, 8}, le<double>({-0x1p63}), "0000000000000080", le<double>({-0x1p63})},
      {"empty", {1, 0, 8, 8}, {}, "", {}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    const Bytes stored = from_hex(c.stored);
    Bytes coded(stored.size()), back(c.raw.size());
    float_scale_encode(c.raw, coded, c.params);
    EXPECT_EQ(to_hex(coded), to_hex(stored));
    float_scale_decode(stored, back, c.params);
    EXPECT_EQ(to_hex(back), to_hex(c.decoded));
  }
}

// 0.1 * 3 is rounded up before 0.3 is taken away; a fused operation would give half of the difference.
TEST(FloatScale, ProductAndSumAreRoundedApart) {
  Bytes back(8);
  float_scale_decode(from_hex("03000000"), back, {0.1, -0.3, 4, 8});
  EXPECT_EQ(load_le<double>(back.data()), 0x1p-54);
}

TEST(FloatScale, EveryWidthRoundTrips) {
  for (const unsigned width : {1u, 2u, 4u, 8u}) {
    for (const unsigned size : {4u, 8u}) {
      const FloatScale params{0.5, -3, width, size};
      const Bytes integers =
          make_bytes(100 * width, [&](std::size_t i) { return i % width == 0 ? i * 7 / width % 100 : 0; });
      Bytes floats(100 * size), back(integers.size());
      float_scale_decode(integers, floats, params);
      float_scale_encode(floats, back, params);
      EXPECT_TRUE(same(back, integers)) << width << ", " << size;
    }
  }
}

TEST(FloatScale, RefusesWhatDoesNotFit) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  struct Bad {
    const char* what;
    FloatScale params;
    double value;
  };
  const Bad cases[] = {
      {"NaN", {1, 0, 8, 8}, nan},       {"infinity", {1, 0, 8, 8}, infinity}, {"128", {1, 0, 1, 8}, 128},
      {"-128.6", {1, 0, 1, 8}, -128.6}, {"2^63", {1, 0, 8, 8}, 0x1p63},       {"2^31", {1, 0, 4, 8}, 0x1p31},
      {"scale 0", {0, 0, 4, 8}, 1},
  };
  for (const Bad& c : cases) {
    Bytes out(c.params.byte_width);
    expect_error(
        ErrorKind::invalid_argument, [&] { float_scale_encode(le<double>({c.value}), out, c.params); }, c.what);
  }
}

TEST(FloatScale, WrongSizes) {
  Bytes out(16);
  expect_error(ErrorKind::corrupt, [&] { float_scale_decode(from_hex("0000 00"), out, {1, 0, 2, 8}); }, "half a value");
  expect_error(ErrorKind::corrupt, [&] { float_scale_decode(from_hex("0000"), out, {1, 0, 2, 8}); }, "too few");
  expect_error(
      ErrorKind::invalid_argument, [&] { float_scale_decode(from_hex("000000"), out, {1, 0, 3, 8}); }, "width 3");
  expect_error(ErrorKind::invalid_argument, [&] { float_scale_decode(from_hex("0000"), out, {1, 0, 1, 2}); }, "half");
}

}  // namespace
}  // namespace tegula::codec
