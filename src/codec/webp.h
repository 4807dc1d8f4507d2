// WebP images (TileDB filter 18). Without libwebp at build time every call throws unsupported.
#pragma once

#include <cstdint>

#include "tegula/bytes.h"

namespace tegula::codec {

enum class PixelFormat : std::uint8_t { none, rgb, bgr, rgba, bgra };

struct WebpParams {
  PixelFormat format = PixelFormat::rgb;
  std::uint32_t width = 0, height = 0;  // pixels
  std::uint32_t stride = 0;             // bytes of a row
  float quality = 100;
  bool lossless = false;
};
void webp_decode(ByteView in, MutableBytes out, const WebpParams& params);
void webp_encode(ByteView in, Bytes& out, const WebpParams& params);

}  // namespace tegula::codec
