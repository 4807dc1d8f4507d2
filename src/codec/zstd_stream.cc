// zstd frames whose raw size may be unknown: streaming writers leave it out of the header.
//
// zarr's "zstd" codec, v2 and v3 (there with an optional checksum). Frames are decoded whole, straight into the output,
// so windows of any size are read and none is allocated. A raw size in the header is believed only as far as the bytes
// at hand can hold it; without one the output grows and the frame is decoded again.

#include <zstd.h>
#include <zstd_errors.h>

#include "base/fail.h"
#include "codec/growing.h"
#include "codec/streams.h"
#include "codec/zstd_context.h"

namespace tegula::codec {

namespace {

constexpr std::uint64_t kMostGain = 65536;  // raw bytes that one byte of a frame can stand for, rounded up

void check(std::size_t result, int level) {
  if (ZSTD_isError(result)) fail(ErrorKind::io, "zstd level {}: {}", level, ZSTD_getErrorName(result));
}

}  // namespace

void zstd_decode_stream(ByteView in, Bytes& out, std::uint64_t limit) {
  if (in.empty()) fail(ErrorKind::corrupt, "no bytes where a zstd frame was expected");
  std::uint64_t guess = Growing::guess(in);
  const std::uint64_t told = ZSTD_getFrameContentSize(in.data(), in.size());
  if (told != ZSTD_CONTENTSIZE_UNKNOWN && told != ZSTD_CONTENTSIZE_ERROR && told <= kMostGain * in.size()) guess = told;
  Growing grown(out, limit, guess);
  for (;;) {
    const MutableBytes room = grown.room();
    const std::size_t result =
        ZSTD_decompressDCtx(thread_zstd_decoder(), room.data(), room.size(), in.data(), in.size());
    if (!ZSTD_isError(result)) {
      grown.commit(result);
      return grown.finish();
    }
    if (ZSTD_getErrorCode(result) != ZSTD_error_dstSize_tooSmall)
      fail(ErrorKind::corrupt, "{} bytes are not a zstd frame: {}", in.size(), ZSTD_getErrorName(result));
    grown.more("a zstd frame");
  }
}

void zstd_encode_stream(ByteView in, Bytes& out, int level, bool checksum) {
  ZSTD_CCtx* context = thread_zstd_encoder();
  check(ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters), level);
  check(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level), level);
  check(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, checksum ? 1 : 0), level);
  const std::size_t at = out.size();
  out.resize(at + ZSTD_compressBound(in.size()));
  const std::size_t size = ZSTD_compress2(context, out.data() + at, out.size() - at, in.data(), in.size());
  check(size, level);
  out.resize(at + size);
}

}  // namespace tegula::codec
