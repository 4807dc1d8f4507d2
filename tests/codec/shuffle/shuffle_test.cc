#include "codec/shuffle/shuffle.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "codec/inputs.h"
#include "tegula/error.h"

namespace tegula::codec {
namespace {

// Straight from the definition, bit by bit.
Bytes defined_bits(ByteView in, std::size_t t) {
  const std::size_t m = in.size() / t / 8 * 8;
  Bytes out = copy_of(in);
  std::fill_n(out.begin(), m * t, std::byte{0});
  for (std::size_t k = 0; k < t; ++k)
    for (std::size_t b = 0; b < 8; ++b)
      for (std::size_t e = 0; e < m; ++e)
        if ((in[e * t + k] >> b & std::byte{1}) != std::byte{0})
          out[(8 * k + b) * (m / 8) + e / 8] |= std::byte{1} << (e % 8);
  return out;
}
Bytes defined_bytes(ByteView in, std::size_t t) {
  const std::size_t n = in.size() / t;
  Bytes out = copy_of(in);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < t; ++j) out[j * n + i] = in[i * t + j];
  return out;
}

using Transpose = void (*)(ByteView, MutableBytes, std::size_t);

// Runs with `out` exactly as large as it must be and away from any alignment, so that a write beyond it is seen.
Bytes run(Transpose f, ByteView in, std::size_t t, std::size_t misalign) {
  constexpr std::size_t kGuard = 64;
  Bytes source(misalign + in.size());
  std::copy(in.begin(), in.end(), source.begin() + static_cast<std::ptrdiff_t>(misalign));
  Bytes room(misalign + in.size() + kGuard, std::byte{0xee});
  const MutableBytes out = MutableBytes(room).subspan(misalign, in.size());
  f(ByteView(source).subspan(misalign), out, t);
  for (std::size_t i = 0; i < misalign; ++i) EXPECT_EQ(room[i], std::byte{0xee});
  for (std::size_t i = misalign + in.size(); i < room.size(); ++i) EXPECT_EQ(room[i], std::byte{0xee});
  return copy_of(out);
}

TEST(Shuffle, AllImplementationsAgree) {
  std::vector<std::size_t> sizes = {24, 32, 33, 100, 255};
  for (std::size_t t = 1; t <= 17; ++t) sizes.push_back(t);
  for (const std::size_t t : sizes) {
    for (const std::size_t elements :
         {0, 1, 7, 8, 9, 31, 32, 33, 40, 47, 63, 64, 255, 256, 257, 264, 520, 1031, 1288}) {
      for (const std::size_t tail : {std::size_t{0}, std::size_t{1}, t - 1}) {
        if (tail >= t) continue;
        const Bytes in = random_bytes(elements * t + tail, static_cast<unsigned>(t * 7919 + elements));
        const std::size_t misalign = (elements + t) % 5;
        SCOPED_TRACE(fmt::format("element size {}, {} elements and {} bytes", t, elements, tail));
        const Bytes bytes = defined_bytes(in, t), bits = defined_bits(in, t);
        for (const Transpose f : {Transpose{byteshuffle}, Transpose{plain::byteshuffle}})
          ASSERT_TRUE(same(run(f, in, t, misalign), bytes));
        for (const Transpose f : {Transpose{byteunshuffle}, Transpose{plain::byteunshuffle}})
          ASSERT_TRUE(same(run(f, bytes, t, misalign), in));
        for (const Transpose f : {Transpose{bitshuffle_block}, Transpose{plain::bitshuffle_block}})
          ASSERT_TRUE(same(run(f, in, t, misalign), bits));
        for (const Transpose f : {Transpose{bitunshuffle_block}, Transpose{plain::bitunshuffle_block}})
          ASSERT_TRUE(same(run(f, bits, t, misalign), in));
      }
    }
  }
}

// Written by libtiledb 2.30.
TEST(Shuffle, TileDBVectors) {
  struct Case {
    const char* what;
    Transpose encode, decode;
    std::size_t element_size;
    const char *raw, *stored;
  };
  const Case cases[] = {
      {"bits of u16", bitshuffle_block, bitunshuffle_block, 2, "0000 2e00 5c00 8a00 b800 e600 1900 4700",
       "c0aaa65e5432a438 0000000000000000"},
      {"bytes of u32", byteshuffle, byteunshuffle, 4,
       "00000000 b0b30000 60670100 101b0200 c0ce0200 70820300 a8610000 58150100 08c90100",
       "00b06010c070a85808 00b3671bce826115c9 000001020203000101 000000000000000000"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    EXPECT_EQ(run(c.encode, from_hex(c.raw), c.element_size, 0), from_hex(c.stored));
    EXPECT_EQ(run(c.decode, from_hex(c.stored), c.element_size, 0), from_hex(c.raw));
  }
}

TEST(Shuffle, RefusesWrongSizes) {
  Bytes in(16), out(15);
  EXPECT_THROW(byteshuffle(in, out, 4), Error);
  EXPECT_THROW(bitunshuffle_block(in, out, 4), Error);
  out.resize(16);
  EXPECT_THROW(byteunshuffle(in, out, 0), Error);
  EXPECT_THROW(bitshuffle_block(in, out, 0), Error);
}

}  // namespace
}  // namespace tegula::codec
