// Parts of zstd frames.
#include "codec/compress/zstd_stream.h"

#include <zstd.h>

#include "codec/inputs.h"
#include "support/expect_error.h"

namespace tegula::codec {
namespace {

Bytes encoded(ByteView in, bool checksum) {
  Bytes out;
  zstd_encode_stream(in, out, 3, checksum);
  return out;
}

// Two frames one after the other: neither header has the size of both.
Bytes in_two_frames(ByteView in) {
  Bytes out = encoded(in.first(in.size() / 3), false);
  const Bytes rest = encoded(in.subspan(in.size() / 3), false);
  out.insert(out.end(), rest.begin(), rest.end());
  return out;
}

Bytes with_window(ByteView in, int log) {
  Bytes out(ZSTD_compressBound(in.size()) + 64);
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, log);
  ZSTD_CCtx_setPledgedSrcSize(context, in.size());
  ZSTD_inBuffer from{in.data(), in.size(), 0};
  ZSTD_outBuffer to{out.data(), out.size(), 0};
  while (ZSTD_compressStream2(context, &to, &from, ZSTD_e_end) != 0) {
  }
  ZSTD_freeCCtx(context);
  out.resize(to.pos);
  return out;
}

struct Case {
  std::string name;
  Bytes (*encode)(ByteView in);
};

const Case kCases[] = {
    {"plain", [](ByteView in) { return encoded(in, false); }},
    {"with a checksum", [](ByteView in) { return encoded(in, true); }},
    {"two frames", in_two_frames},
    {"small window", [](ByteView in) { return with_window(in, 12); }},
};

TEST(ZstdRange, IsThatPartOfTheWhole) {
  const Bytes raw = smooth_floats(150'000);
  const std::uint64_t size = raw.size();
  const std::pair<std::uint64_t, std::uint64_t> ranges[] = {
      {0, 0},
      {0, 1},
      {0, size},
      {1, 300'000},
      {131'071, 131'073},
      {5, 131'072},
      {size, size},
      {size - 1, size},
      {size / 2, size / 2 + 70'000},
      {400'000, 400'001},
  };
  for (const Case& c : kCases) {
    const Bytes coded = c.encode(raw);
    for (const auto& [from, to] : ranges) {
      SCOPED_TRACE(c.name + " " + std::to_string(from) + ".." + std::to_string(to));
      Bytes part(to - from);
      zstd_decode_range(coded, size, from, part);
      ASSERT_TRUE(same(part, ByteView(raw).subspan(from, to - from)));
    }
  }
}

TEST(ZstdRange, LargeWindowsAreDecodedWhole) {
  Bytes raw(20 << 20);
  for (std::size_t i = 0; i < raw.size(); i += 4096) raw[i] = static_cast<std::byte>(i >> 12);
  Bytes part(5000);
  zstd_decode_range(with_window(raw, 25), raw.size(), 1 << 20, part);
  EXPECT_TRUE(same(part, ByteView(raw).subspan(1 << 20, part.size())));
}

TEST(ZstdRange, WhatIsNotNeededIsNotLookedAt) {
  const Bytes raw = random_bytes(600'000, 5);
  Bytes coded = encoded(raw, false), part(1000);
  coded.resize(coded.size() / 2);
  zstd_decode_range(coded, raw.size(), 500, part);
  EXPECT_TRUE(same(part, ByteView(raw).subspan(500, part.size())));
  EXPECT_ERROR(corrupt, "ends after", zstd_decode_range(coded, raw.size(), 450'000, part));
}

TEST(ZstdRange, Damage) {
  const Bytes raw = smooth_floats(150'000);
  Bytes part(1000);
  for (const Case& c : kCases) {
    const Bytes coded = c.encode(raw);
    SCOPED_TRACE(c.name);
    EXPECT_ERROR(corrupt, "", zstd_decode_range({}, raw.size(), 0, part));
    EXPECT_ERROR(corrupt, "", zstd_decode_range(ByteView(coded).first(9), raw.size(), 0, part));
    EXPECT_ERROR(corrupt, "", zstd_decode_range(coded, raw.size() + 1, 0, part));
    EXPECT_ERROR(corrupt, "cannot hold", zstd_decode_range(coded, std::uint64_t{1} << 60, 0, part));
    EXPECT_ERROR(invalid_argument, "", zstd_decode_range(coded, raw.size(), raw.size() - 999, part));
    EXPECT_ERROR(invalid_argument, "", zstd_decode_range(coded, raw.size(), ~std::uint64_t{0}, part));
  }
  Bytes spoiled = encoded(raw, true);
  spoiled.back() ^= std::byte{1};
  EXPECT_ERROR(corrupt, "", zstd_decode_range(spoiled, raw.size(), 0, part));
}

}  // namespace
}  // namespace tegula::codec
