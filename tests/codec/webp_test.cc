#include "codec/webp.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "codec/expect_kind.h"
#include "codec/inputs.h"

namespace tegula::codec {
namespace {

#ifdef TEGULA_HAVE_WEBP

WebpParams image(PixelFormat format, std::uint32_t depth, bool lossless) {
  WebpParams params;
  params.format = format;
  params.width = 20;
  params.height = 11;
  params.stride = 20 * depth;
  params.lossless = lossless;
  return params;
}

TEST(Webp, LosslessRoundTrips) {
  const std::pair<PixelFormat, std::uint32_t> formats[] = {{PixelFormat::none, 4},
                                                           {PixelFormat::rgb, 3},
                                                           {PixelFormat::bgr, 3},
                                                           {PixelFormat::rgba, 4},
                                                           {PixelFormat::bgra, 4}};
  for (const auto& [format, depth] : formats) {
    WebpParams params = image(format, depth, true);
    Bytes raw = random_bytes(params.stride * params.height, 5);
    // The colour of a transparent pixel counts too.
    if (depth == 4) raw[3] = std::byte{0};
    Bytes coded, back(raw.size());
    webp_encode(raw, coded, params);
    EXPECT_EQ(text_of(ByteView(coded).first(4)), "RIFF");
    webp_decode(coded, back, params);
    EXPECT_TRUE(same(back, raw)) << static_cast<int>(format);
  }
}

TEST(Webp, BytesBehindTheLastPixelAreZero) {
  WebpParams params = image(PixelFormat::rgb, 3, true);
  params.stride += 2;
  const Bytes raw = make_bytes(params.stride * params.height, [&](std::size_t i) { return i % 62 < 60 ? i : 0; });
  Bytes coded, back(raw.size(), std::byte{0xee});
  webp_encode(raw, coded, params);
  webp_decode(coded, back, params);
  EXPECT_TRUE(same(back, raw));
}

TEST(Webp, LossyIsNear) {
  const WebpParams params = image(PixelFormat::rgb, 3, false);
  const Bytes raw = make_bytes(params.stride * params.height, [](std::size_t i) { return 100 + i / 60; });
  Bytes coded, back(raw.size());
  webp_encode(raw, coded, params);
  webp_decode(coded, back, params);
  for (std::size_t i = 0; i < raw.size(); ++i)
    ASSERT_LE(std::abs(std::to_integer<int>(raw[i]) - std::to_integer<int>(back[i])), 8) << i;
}

TEST(Webp, Damage) {
  const WebpParams params = image(PixelFormat::rgba, 4, true);
  const Bytes raw = random_bytes(params.stride * params.height, 6);
  Bytes coded, back(raw.size());
  webp_encode(raw, coded, params);
  for (std::size_t n = 0; n < coded.size(); n += 7)
    expect_error(ErrorKind::corrupt, [&] { webp_decode(ByteView(coded).first(n), back, params); }, "cut");
  WebpParams other = params;
  other.width = 10;
  other.height = 22;
  other.stride = 40;
  expect_error(ErrorKind::corrupt, [&] { webp_decode(coded, back, other); }, "other dimensions");
  other = params;
  other.stride = 79;
  expect_error(ErrorKind::invalid_argument, [&] { webp_decode(coded, back, other); }, "stride");
  other = params;
  other.quality = 101;
  other.lossless = false;
  expect_error(ErrorKind::invalid_argument, [&] { webp_encode(raw, coded, other); }, "quality");
}

#else

TEST(Webp, IsRefusedByName) {
  Bytes out(3);
  expect_error(ErrorKind::unsupported, [&] { webp_decode({}, out, {}); }, "decode");
  expect_error(ErrorKind::unsupported, [&] { webp_encode({}, out, {}); }, "encode");
}

#endif

}  // namespace
}  // namespace tegula::codec
