// One standard frame (RFC 8878) with the raw size in its header and, unless the writer asked for one, no checksum.
// TileDB uses it by default for offsets and coordinates.
//
// Levels: since about 2.8 libtiledb passes a stored -1 to zstd, whose level -1 is a fast one, and takes levels below -7
// for the default, 3; up to about 2.6 every negative level meant 5. Decoding does not depend on the level. Several
// frames, and skippable ones, decode to their concatenation, as in libzstd.

#include "codec/compress/zstd.h"

#include <zstd.h>

#include "base/fail.h"
#include "codec/compress/zstd_context.h"

namespace tegula::codec {

namespace {

constexpr int kLowestLevel = -7;
constexpr int kDefaultLevel = 3;

}  // namespace

bool zstd_decode_exact(ByteView in, MutableBytes out) {
  // libzstd accepts an empty input as an empty sequence of frames.
  if (in.empty()) return false;
  const std::size_t size = ZSTD_decompressDCtx(thread_zstd_decoder(), out.data(), out.size(), in.data(), in.size());
  return !ZSTD_isError(size) && size == out.size();
}

void zstd_decode(ByteView in, MutableBytes out, const Params&) {
  if (!zstd_decode_exact(in, out))
    fail(ErrorKind::corrupt, "{} bytes are not a zstd frame of {} raw bytes", in.size(), out.size());
}

void zstd_encode(ByteView in, Bytes& out, const Params& params) {
  const int level = params.level < kLowestLevel ? kDefaultLevel : params.level;
  const std::size_t at = out.size();
  out.resize(at + ZSTD_compressBound(in.size()));
  const std::size_t size =
      ZSTD_compressCCtx(thread_zstd_encoder(), out.data() + at, out.size() - at, in.data(), in.size(), level);
  if (ZSTD_isError(size)) fail(ErrorKind::io, "zstd level {}: {}", level, ZSTD_getErrorName(size));
  out.resize(at + size);
}

}  // namespace tegula::codec
