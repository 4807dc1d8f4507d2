// The tables were made with numcodecs 0.16.6 and numpy 2.4.6 on x86-64.
#include "codec/numcodecs/numcodecs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "codec/expect_kind.h"
#include "codec/inputs.h"

namespace tegula::codec::numcodecs {
namespace {

Datatype type(std::string_view text) { return datatype_from_numpy(text); }

using Filter = std::function<Bytes(ByteView)>;
struct Pair {
  Filter encode, decode;
};

Pair delta(const char* dtype, const char* astype) {
  return {[=](ByteView in) { return delta_encode(in, type(dtype), type(astype)); },
          [=](ByteView in) { return delta_decode(in, type(dtype), type(astype)); }};
}
Pair scale_offset(const char* dtype, const char* astype, double scale, double offset) {
  const FixedScaleOffset params{scale, offset, type(dtype), type(astype)};
  return {[=](ByteView in) { return fixed_scale_offset_encode(in, params); },
          [=](ByteView in) { return fixed_scale_offset_decode(in, params); }};
}
Pair quantize(const char* dtype, const char* astype, int digits) {
  return {[=](ByteView in) { return quantize_encode(in, digits, type(dtype), type(astype)); },
          [=](ByteView in) { return quantize_decode(in, type(dtype), type(astype)); }};
}
Pair as_type(const char* encode_dtype, const char* decode_dtype) {
  return {[=](ByteView in) { return astype_encode(in, type(encode_dtype), type(decode_dtype)); },
          [=](ByteView in) { return astype_decode(in, type(encode_dtype), type(decode_dtype)); }};
}
Pair checksum(Checksum kind, bool at_end) {
  return {[=](ByteView in) { return checksum_encode(in, kind, at_end); },
          [=](ByteView in) { return checksum_decode(in, kind, at_end); }};
}
Pair shuffle(std::size_t element_size) {
  return {[=](ByteView in) { return shuffle_encode(in, element_size); },
          [=](ByteView in) { return shuffle_decode(in, element_size); }};
}
Pair checksum_with_seed(std::uint32_t seed) {
  return {[=](ByteView in) { return checksum_encode(in, Checksum::jenkins_lookup3, true, seed); },
          [=](ByteView in) { return checksum_decode(in, Checksum::jenkins_lookup3, true, seed); }};
}
Pair bitround(const char* dtype, int keep_bits) {
  return {[=](ByteView in) { return bitround_encode(in, keep_bits, type(dtype)); }, bitround_decode};
}
const Pair kPackbits{packbits_encode, packbits_decode};

struct Vector {
  const char* what;
  Pair filter;
  const char *raw, *stored, *decoded;  // decoded null: as raw
};

void check(std::span<const Vector> vectors) {
  for (const Vector& v : vectors) {
    SCOPED_TRACE(v.what);
    EXPECT_EQ(to_hex(v.filter.encode(from_hex(v.raw))), to_hex(from_hex(v.stored)));
    EXPECT_EQ(to_hex(v.filter.decode(from_hex(v.stored))), to_hex(from_hex(v.decoded ? v.decoded : v.raw)));
  }
}

TEST(Numcodecs, Delta) {
  const Vector vectors[] = {
      {"wraps", delta("<i4", "<i4"), "03000000 01000000 04000000 ffffffff ffffff7f",
       "03000000 feffffff 03000000 fbffffff 00000080", nullptr},
      {"narrow", delta("<i4", "|i1"), "64000000 65000000 67000000 66000000", "64 01 02 ff", nullptr},
      {"big-endian", delta(">i2", ">i2"), "0001 012c fffb", "0001 012b fecf", nullptr},
      {"bytes", delta("|u1", "|u1"), "fa 03 ff", "fa 09 fc", nullptr},
      {"float32", delta("<f4", "<f4"), "cdcccc3d cdcc4c3e 3333333f 20bcbe4c 00004040",
       "cdcccc3d cdcccc3d 0000003f 20bcbe4c 20bcbecc", "cdcccc3d cdcc4c3e 3333333f 20bcbe4c 00000000"},
      {"float64 stored as float32", delta("<f8", "<f4"),
       "9a9999999999b93f 9a9999999999c93f 666666666666e63f 0000000084d79741 0000000000000840",
       "cdcccc3d cdcccc3d 0000003f 20bcbe4c 20bcbecc",
       "000000a09999b93f 000000a09999c93f 000000686666e63f cdcccc0284d79741 000000686666e63f"},
      {"mixed order", delta(">f8", "<f4"), "3ff8000000000000 4002000000000000", "0000c03f 0000403f", nullptr},
      {"float16", delta("<f2", "<f2"), "662e 6632 0068 0068 003c", "662e 662e 0068 0000 ffe7", nullptr},
      {"minus zero", delta("<f4", "<f4"), "00000080 0000803f", "00000080 0000803f", nullptr},
      {"empty", delta("<f4", "<i2"), "", "", nullptr},
  };
  check(vectors);
}

TEST(Numcodecs, FixedScaleOffset) {
  const Vector vectors[] = {
      {"float64 as bytes", scale_offset("<f8", "|u1", 10, 1000),
       "0000000000408f40 0000000000428f40 cdcccccccc428f40 0000000000488f40 6666666666408f40", "00 02 04 0a 00",
       "0000000000408f40 9a99999999418f40 3333333333438f40 0000000000488f40 0000000000408f40"},
      {"float32 as int16", scale_offset("<f4", "<i2", 100, -1.5), "cdcccc3d 1f85ab3e 0000e4c0 00002040",
       "a000 b800 cefd 9001", "cdcccc3d 7b14ae3e 0ad7e3c0 00002040"},
      {"big-endian", scale_offset(">f4", ">i4", 3, 0.1), "3dcccccd 3eab851f c0e40000 40200000",
       "00000000 00000001 ffffffea 00000007", "3dcccccd 3eddddde c0e77777 401bbbbc"},
      {"integers", scale_offset("<i4", "|u1", 1, 100), "64000000 65000000 63010000", "00 01 ff", nullptr},
      {"integers, scale below 1", scale_offset("<i4", "<i2", 0.1, 5), "64000000 69000000 ff000000 fbffffff",
       "0a00 0a00 1900 ffff", "69000000 69000000 ff000000 fbffffff"},
      {"float64 as float32", scale_offset("<f8", "<f4", 10, 0.3), "9a9999999999b93f 0000000080842e41",
       "000000c0 7d96184b", "000000c09999b93f 0000000080842e41"},
      {"float32 throughout", scale_offset("<f4", "<f4", 10, 0.3), "cdcccc3d 00247449", "000000c0 7d96184b",
       "cecccc3d 00247449"},
      {"float16 throughout", scale_offset("<f2", "<f2", 10, 0.3), "662e 9a42 4056", "00c0 804f ca63", "682e 9a42 4056"},
      {"float16 as bytes", scale_offset("<f2", "|i1", 7, 0.3), "662e 9a42", "ff 15", "0731 9a42"},
  };
  check(vectors);
}

TEST(Numcodecs, Quantize) {
  const Vector vectors[] = {
      {"float64", quantize("<f8", "<f8", 3), "0000000000000000 555555555555d53f 25068195438bbc3f 017f42870abf05c0",
       "0000000000000000 000000000050d53f 000000000080bc3f 0000000000c005c0",
       "0000000000000000 000000000050d53f 000000000080bc3f 0000000000c005c0"},
      {"as float32", quantize("<f8", "<f4", 3), "0000000000000000 555555555555d53f 25068195438bbc3f 017f42870abf05c0",
       "00000000 0080aa3e 0000e43d 00002ec0", "0000000000000000 000000000050d53f 000000000080bc3f 0000000000c005c0"},
      {"float32", quantize("<f4", "<f4", 1), "cdcc4c3d abaaaa3e 3d8a9b42 000020c0",
       "0000803d 0000a03e 00809b42 000020c0", "0000803d 0000a03e 00809b42 000020c0"},
      {"big-endian", quantize(">f4", ">f2", 2), "3d4ccccd 3eaaaaab 429b8a3d", "2a00 3560 54dc",
       "3d400000 3eac0000 429b8000"},
      {"negative digits", quantize("<f8", "<f8", -2),
       "00000000004a9340 0000000000c06240 0000000000004940 00000000008048c0",
       "0000000000009340 0000000000006040 0000000000005040 00000000000050c0",
       "0000000000009340 0000000000006040 0000000000005040 00000000000050c0"},
      {"no digits, to even", quantize("<f8", "<f8", 0),
       "000000000000e03f 000000000000f83f 0000000000000440 9a9999999999d9bf",
       "0000000000000000 0000000000000040 0000000000000040 0000000000000080",
       "0000000000000000 0000000000000040 0000000000000040 0000000000000080"},
      {"float16", quantize("<f2", "<f2", 1), "662a 9a42 dc54", "002c a042 dc54", "002c a042 dc54"},
  };
  check(vectors);
}

TEST(Numcodecs, AsType) {
  const Vector vectors[] = {
      {"wraps", as_type("|i1", "<i2"), "6400 9cff 2c01", "64 9c 2c", "6400 9cff 2c00"},
      {"overflows to infinity", as_type("<f4", "<f8"), "9a9999999999b93f 9c7500883ce4377e 00000000000004c0",
       "cdcccc3d 0000807f 000020c0", "000000a09999b93f 000000000000f07f 00000000000004c0"},
      {"towards zero", as_type("<i4", "<f8"), "666666666666fe3f 666666666666febf 000000000000e03f",
       "01000000 ffffffff 00000000", "000000000000f03f 000000000000f0bf 0000000000000000"},
      {"big-endian", as_type(">u2", "<i8"), "7011010000000000 ffffffffffffffff", "1170 ffff",
       "7011000000000000 ffff000000000000"},
      {"float16", as_type("<f2", "<f4"), "cdcccc3d 00ef7f47 00f07f47 59d98033 77ccab32 acc527b7",
       "662e ff7b 007c 0100 0000 a880", "00c0cc3d 00e07f47 0000807f 00008033 00000000 000028b7"},
      {"bool", as_type("|b1", "<i4"), "00000000 05000000 ffffffff", "00 01 01", "00000000 01000000 01000000"},
      {"int64 rounds once", as_type("<f4", "<i8"), "0100000000002000 0100000100000000 ffffffffffffffbf",
       "0000005a 0000804b 000080de", "0000000000002000 0000000100000000 00000000000000c0"},
      {"dates", as_type("<i4", "<M8[D]"), "0700000000000000 ffffffffffffffff", "07000000 ffffffff", nullptr},
  };
  check(vectors);
}

TEST(Numcodecs, BytesAndChecksums) {
  const Vector vectors[] = {
      {"one bool", kPackbits, "01", "07 80", nullptr},
      {"eight bools", kPackbits, "01 00 01 01 00 00 00 01", "00 b1", nullptr},
      {"ten bools", kPackbits, "01 00 01 01 00 00 00 01 01 01", "06 b1c0", nullptr},
      {"no bools", kPackbits, "", "00", nullptr},
      {"shuffle 2", shuffle(2), "000102030405060708090a0b", "00020406080a01030507090b", nullptr},
      {"shuffle 4", shuffle(4), "000102030405060708090a0b", "00040801050902060a03070b", nullptr},
      {"shuffle 0", shuffle(0), "000102", "000102", nullptr},
      {"shuffle 1", shuffle(1), "000102", "000102", nullptr},
      {"crc32", checksum(Checksum::crc32, false), "313233343536373839", "2639f4cb 313233343536373839", nullptr},
      {"crc32 at the end", checksum(Checksum::crc32, true), "313233343536373839", "313233343536373839 2639f4cb",
       nullptr},
      {"crc32 of nothing", checksum(Checksum::crc32, false), "", "00000000", nullptr},
      {"adler32", checksum(Checksum::adler32, false), "313233343536373839", "de011e09 313233343536373839", nullptr},
      {"adler32 of nothing", checksum(Checksum::adler32, false), "", "01000000", nullptr},
      {"crc32c", checksum(Checksum::crc32c, true), "313233343536373839", "313233343536373839 839206e3", nullptr},
      {"fletcher32, odd", checksum(Checksum::fletcher32, true), "313233343536373839", "313233343536373839 d509df09",
       nullptr},
      {"fletcher32, even", checksum(Checksum::fletcher32, true), "3132333435363738", "3132333435363738 d4d00a00",
       nullptr},
      {"fletcher32, highest words", checksum(Checksum::fletcher32, true), "ffffffffff", "ffffffffff 00ff00ff", nullptr},
      {"jenkins_lookup3, part of a block", checksum(Checksum::jenkins_lookup3, true), "313233343536373839",
       "313233343536373839 969a5d84", nullptr},
      {"jenkins_lookup3, a block", checksum(Checksum::jenkins_lookup3, true), "313233343536373839303132",
       "313233343536373839303132 b0f578b5", nullptr},
      {"jenkins_lookup3, two blocks", checksum(Checksum::jenkins_lookup3, true), "31323334353637383930313233",
       "31323334353637383930313233 f5d986de", nullptr},
      {"jenkins_lookup3 with a seed", checksum_with_seed(7), "31323334353637383930313233",
       "31323334353637383930313233 35ee9dc7", nullptr},
  };
  check(vectors);
}

// What is rounded decodes to itself. -1/3, almost 2, 0, -0.0, infinity, and two halves, one to each side.
TEST(Numcodecs, BitRound) {
  const char* const kStored32 = "0000d03d 0000b0be 00000040 00000000 00000080 0000807f 0000803f 0000a03f";
  const char* const kStored16 = "802e 40b5 0040 407b 0000 0080 007c 403c c03c";
  const char* const kStored64 = "000000000000c03f 000000000000d0bf 0000000000000040 000000000000f03f";
  const Vector vectors[] = {
      {"float32, 3 bits", bitround("<f4", 3), "cdcccc3d abaaaabe ffffff3f 00000000 00000080 0000807f 0000883f 0000983f",
       kStored32, kStored32},
      {"big-endian", bitround(">f4", 3), "3dcccccd beaaaaab", "3dd00000 beb00000", "3dd00000 beb00000"},
      {"float16, 4 bits", bitround("<f2", 4), "662e 55b5 0040 537b 0000 0080 007c 403c c03c", kStored16, kStored16},
      {"float64, none", bitround("<f8", 0), "9a9999999999b93f 555555555555d5bf 650d28e5ffffff3f 000000000000f13f",
       kStored64, kStored64},
      {"float32, all", bitround("<f4", 23), "cdcccc3d abaaaabe", "cdcccc3d abaaaabe", nullptr},
      {"NaN stays NaN", bitround("<f8", 0), "000000000000f87f ffffffffffffffff 010000000000f0ff",
       "000000000000f87f ffffffffffffffff 010000000000f0ff", nullptr},
  };
  check(vectors);
  expect_error(ErrorKind::invalid_argument, [] { bitround_encode(from_hex("00000000"), 24, type("<f4")); }, "too many");
  expect_error(ErrorKind::unsupported, [] { bitround_encode(from_hex("00000000"), 3, type("<i4")); }, "integers");
}

TEST(Numcodecs, VariableLength) {
  struct Case {
    const char *data, *stored;
    std::vector<std::uint64_t> offsets;
  };
  const Case cases[] = {
      {"68c3a96c6c6f e697a5e69cac 61",
       "04000000 06000000 68c3a96c6c6f 00000000 06000000 e697a5e69cac 01000000 61",
       {0, 6, 6, 12, 13}},
      {"6162 00ff", "03000000 02000000 6162 00000000 02000000 00ff", {0, 2, 2, 4}},
      {"", "00000000", {0}},
      {"78", "02000000 00000000 01000000 78", {0, 0, 1}},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(to_hex(vlen_encode(from_hex(c.data), c.offsets)), to_hex(from_hex(c.stored)));
    const Items items = vlen_decode(from_hex(c.stored), c.offsets.size() - 1);
    EXPECT_EQ(to_hex(items.data), to_hex(from_hex(c.data)));
    EXPECT_TRUE(std::equal(items.offsets.begin(), items.offsets.end(), c.offsets.begin(), c.offsets.end()));
  }
}

TEST(Numcodecs, Damage) {
  const auto corrupt = [](const char* what, const Filter& decode, const char* bytes) {
    expect_error(ErrorKind::corrupt, [&] { decode(from_hex(bytes)); }, what);
  };
  const auto vlen = [](std::uint64_t count) { return [=](ByteView in) { return vlen_decode(in, count).data; }; };
  corrupt("half a number", delta("<i4", "<i2").decode, "010203");
  corrupt("infinite integer", as_type("<f4", "<i4").decode, "0000807f");
  corrupt("no integer", scale_offset("<i4", "<f4", 1, 0).decode, "0000c07f");
  corrupt("beyond uint8", as_type("<f8", "|u1").decode, "000000000000f0bf");
  corrupt("no padding count", kPackbits.decode, "");
  corrupt("padding of 8", kPackbits.decode, "08 ff");
  corrupt("padding of nothing", kPackbits.decode, "01");
  corrupt("half an element", shuffle(4).decode, "010203");
  corrupt("no checksum", checksum(Checksum::crc32, false).decode, "010203");
  corrupt("wrong checksum", checksum(Checksum::crc32, false).decode, "2639f4cb 313233343536373830");
  corrupt("other count", vlen(2), "03000000 02000000 6162 00000000 02000000 00ff");
  corrupt("huge count", vlen(0xffffffff), "ffffffff 00000000");
  corrupt("huge item", vlen(1), "01000000 ffffffff 00");
  corrupt("item over the next length", vlen(2), "02000000 05000000 0000000000");
  corrupt("bytes behind the last item", vlen(1), "01000000 01000000 0000");
  corrupt("cut count", vlen(1), "0100");
}

TEST(Numcodecs, RefusesWhatItCannotStore) {
  const auto refused = [](ErrorKind kind, const char* what, const Filter& encode, const char* bytes) {
    expect_error(kind, [&] { encode(from_hex(bytes)); }, what);
  };
  refused(ErrorKind::invalid_argument, "NaN as integer", scale_offset("<f4", "<i2", 10, 0).encode, "0000c07f");
  refused(ErrorKind::invalid_argument, "too large", as_type("|i1", "<f4").encode, "00000043");
  refused(ErrorKind::invalid_argument, "half an element", shuffle(4).encode, "010203");
  refused(ErrorKind::unsupported, "differences of bool", delta("|b1", "|b1").encode, "01");
  refused(ErrorKind::unsupported, "complex", delta("<c8", "<c8").encode, "0000000000000000");
  refused(ErrorKind::unsupported, "quantized integers", quantize("<i4", "<i4", 1).encode, "00000000");
  const std::uint64_t falling[] = {0, 2, 1, 3};
  expect_error(ErrorKind::invalid_argument, [&] { vlen_encode(from_hex("010203"), falling); }, "falling offsets");
  expect_error(ErrorKind::invalid_argument, [&] { vlen_encode(from_hex("010203"), {}); }, "no offsets");
}

TEST(Numcodecs, RoundTripsOfEveryType) {
  for (const char* dtype : {"|i1", "<i2", ">i4", "<i8", "|u1", ">u2", "<u4", ">u8", "<m8[s]", ">M8[ns]"}) {
    SCOPED_TRACE(dtype);
    const Datatype t = type(dtype);
    for (const Input& input : inputs(t.size)) {
      SCOPED_TRACE(input.name);
      EXPECT_TRUE(same(delta_decode(delta_encode(input.data, t, t), t, t), input.data));
      EXPECT_TRUE(same(astype_decode(astype_encode(input.data, type(">i8"), t), type(">i8"), t), input.data));
      EXPECT_TRUE(same(shuffle_decode(shuffle_encode(input.data, t.size), t.size), input.data));
    }
  }
}

TEST(Numcodecs, DamageNeverEscapes) {
  const std::pair<Pair, Bytes> cases[] = {
      {delta("<f8", ">f4"), random_bytes(80, 1)},
      {scale_offset(">i2", "<f2", 3, 1), make_bytes(80, [](std::size_t i) { return i % 3; })},
      {kPackbits, random_bytes(77, 2)},
      {checksum(Checksum::adler32, true), random_bytes(50, 3)},
  };
  for (const auto& [filter, raw] : cases) {
    const Bytes stored = filter.encode(raw);
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
      Bytes damaged = stored;
      damaged.resize(random() % (stored.size() + 1));
      for (std::byte& b : damaged)
        if (random() % 8 == 0) b = static_cast<std::byte>(random());
      try {
        filter.decode(damaged);
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::corrupt) << error.what();
      }
    }
  }
}

}  // namespace
}  // namespace tegula::codec::numcodecs
