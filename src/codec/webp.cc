// WebP images (TileDB filter 18).
//
//   one RIFF/WEBP file per part; rows of `stride` bytes, `width` pixels of 3 (RGB, BGR) or 4 bytes each (RGBA, BGRA,
//   none). Bytes of a row behind its last pixel are not stored: they decode as zeros.
//
// Lossy images differ between releases of libwebp. libtiledb's lossless images may lose the colour of fully transparent
// pixels; those written here keep it.
#include "codec/webp.h"

#include "base/fail.h"

#ifdef TEGULA_HAVE_WEBP
#include <webp/decode.h>
#include <webp/encode.h>

#include <cstring>
#include <memory>
#endif

namespace tegula::codec {

#ifdef TEGULA_HAVE_WEBP

namespace {

// libwebp's functions for one order of colours; an unnamed format is stored as RGBA.
struct Order {
  std::uint32_t depth;
  std::uint8_t* (*decode)(const std::uint8_t*, std::size_t, std::uint8_t*, std::size_t, int);
  int (*import)(WebPPicture*, const std::uint8_t*, int);
};
constexpr Order kOrders[] = {
    {4, WebPDecodeRGBAInto, WebPPictureImportRGBA},  // none
    {3, WebPDecodeRGBInto, WebPPictureImportRGB},    // rgb
    {3, WebPDecodeBGRInto, WebPPictureImportBGR},    // bgr
    {4, WebPDecodeRGBAInto, WebPPictureImportRGBA},  // rgba
    {4, WebPDecodeBGRAInto, WebPPictureImportBGRA},  // bgra
};

const Order& checked_order(const WebpParams& params, std::size_t raw_size) {
  const auto format = static_cast<std::size_t>(params.format);
  if (format >= std::size(kOrders)) fail(ErrorKind::invalid_argument, "WebP: pixel format {}", format);
  const Order& order = kOrders[format];
  if (params.width == 0 || params.height == 0 || params.width > WEBP_MAX_DIMENSION ||
      params.height > WEBP_MAX_DIMENSION)
    fail(ErrorKind::invalid_argument, "WebP: an image of {} x {} pixels, expected 1 to {}", params.width, params.height,
         WEBP_MAX_DIMENSION);
  if (params.stride > 0x7fffffff || params.stride / order.depth < params.width ||
      raw_size != std::uint64_t{params.stride} * params.height)
    fail(ErrorKind::invalid_argument, "WebP: {} rows of {} bytes with {} pixels of {} bytes do not make {} bytes",
         params.height, params.stride, params.width, order.depth, raw_size);
  return order;
}

const std::uint8_t* u8(const std::byte* p) { return reinterpret_cast<const std::uint8_t*>(p); }

}  // namespace

void webp_decode(ByteView in, MutableBytes out, const WebpParams& params) {
  const Order& order = checked_order(params, out.size());
  int width = 0, height = 0;
  if (!WebPGetInfo(u8(in.data()), in.size(), &width, &height))
    fail(ErrorKind::corrupt, "WebP: {} bytes that do not start a WebP image", in.size());
  if (static_cast<std::uint32_t>(width) != params.width || static_cast<std::uint32_t>(height) != params.height)
    fail(ErrorKind::corrupt, "WebP: an image of {} x {} pixels, expected {} x {}", width, height, params.width,
         params.height);
  auto* to = reinterpret_cast<std::uint8_t*>(out.data());
  if (!order.decode(u8(in.data()), in.size(), to, out.size(), static_cast<int>(params.stride)))
    fail(ErrorKind::corrupt, "WebP: libwebp cannot decode the image of {} bytes", in.size());
  const std::size_t used = std::size_t{params.width} * order.depth;
  for (std::uint32_t row = 0; used < params.stride && row < params.height; ++row)
    std::memset(to + std::size_t{row} * params.stride + used, 0, params.stride - used);
}

void webp_encode(ByteView in, Bytes& out, const WebpParams& params) {
  const Order& order = checked_order(params, in.size());
  WebPConfig config;
  WebPPicture picture;
  if (!WebPConfigInit(&config) || !WebPPictureInit(&picture))
    fail(ErrorKind::unsupported, "WebP: libwebp has another version than its headers");
  config.quality = params.lossless ? 70 : params.quality;
  config.lossless = params.lossless;
  config.exact = params.lossless;
  if (!WebPValidateConfig(&config))
    fail(ErrorKind::invalid_argument, "WebP: quality {}, expected 0 to 100", params.quality);
  picture.use_argb = params.lossless;
  picture.width = static_cast<int>(params.width);
  picture.height = static_cast<int>(params.height);
  WebPMemoryWriter written;
  WebPMemoryWriterInit(&written);
  picture.writer = WebPMemoryWrite;
  picture.custom_ptr = &written;
  const std::unique_ptr<WebPPicture, decltype(&WebPPictureFree)> owns_picture(&picture, WebPPictureFree);
  const std::unique_ptr<WebPMemoryWriter, decltype(&WebPMemoryWriterClear)> owns_bytes(&written, WebPMemoryWriterClear);
  if (!order.import(&picture, u8(in.data()), static_cast<int>(params.stride)) || !WebPEncode(&config, &picture))
    fail(ErrorKind::io, "WebP: libwebp cannot encode an image of {} x {} pixels: error {}", params.width, params.height,
         static_cast<int>(picture.error_code));
  const auto* bytes = reinterpret_cast<const std::byte*>(written.mem);
  out.insert(out.end(), bytes, bytes + written.size);
}

#else

void webp_decode(ByteView, MutableBytes, const WebpParams&) {
  fail(ErrorKind::unsupported, "this build has no libwebp: it does not read WebP images");
}
void webp_encode(ByteView, Bytes&, const WebpParams&) {
  fail(ErrorKind::unsupported, "this build has no libwebp: it does not write WebP images");
}

#endif

}  // namespace tegula::codec
