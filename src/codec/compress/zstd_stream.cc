// Streaming writers leave the raw size out of the header.
//
// Frames are decoded whole, straight into the output, so that windows of any size are read and none is allocated. A raw
// size in the header is trusted only as far as the compressed bytes can hold it; without one the output grows and the
// frame is decoded again.
//
// Decoding a range of a frame costs everything before the range, through the decoder's own window, but nothing after
// it.

#include "codec/compress/zstd_stream.h"

#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <array>

#include "base/fail.h"
#include "codec/compress/growing_buffer.h"
#include "codec/compress/zstd.h"
#include "codec/compress/zstd_context.h"

namespace tegula::codec {

namespace {

constexpr std::uint64_t kMostGain = 65536;  // raw bytes that one byte of a frame can stand for, rounded up

void check(std::size_t result, int level) {
  if (ZSTD_isError(result)) fail(ErrorKind::io, "zstd level {}: {}", level, ZSTD_getErrorName(result));
}

// Whether `in` is one frame of that raw size without a checksum.
bool is_one_plain_frame(ByteView in, std::uint64_t raw) {
  constexpr std::size_t kMagic = 4;
  constexpr std::byte kChecksum{4};
  return in.size() > kMagic && ZSTD_getFrameContentSize(in.data(), in.size()) == raw &&
         (in[kMagic] & kChecksum) == std::byte{0};
}

// False when the frame asks for a larger window than a thread should keep.
bool decode_up_to(ByteView in, std::uint64_t offset, MutableBytes out) {
  constexpr int kLargestWindow = 23;  // 8 MiB, what the highest ordinary level uses
  ZSTD_DCtx* context = thread_zstd_decoder();
  ZSTD_DCtx_reset(context, ZSTD_reset_session_only);
  ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, kLargestWindow);
  std::array<std::byte, 16384> before;
  ZSTD_inBuffer from{in.data(), in.size(), 0};
  while (!out.empty()) {
    const MutableBytes into =
        offset > 0 ? MutableBytes(before).first(std::min<std::uint64_t>(offset, before.size())) : out;
    ZSTD_outBuffer to{into.data(), into.size(), 0};
    const std::size_t consumed = from.pos, result = ZSTD_decompressStream(context, &to, &from);
    if (ZSTD_isError(result)) {
      if (ZSTD_getErrorCode(result) == ZSTD_error_frameParameter_windowTooLarge) return false;
      fail(ErrorKind::corrupt, "{} bytes are not a zstd frame: {}", in.size(), ZSTD_getErrorName(result));
    }
    if (to.pos == 0 && from.pos == consumed)
      fail(ErrorKind::corrupt, "a zstd frame ends after {} bytes, before the raw size in its header is reached",
           in.size());
    if (offset > 0)
      offset -= to.pos;
    else
      out = out.subspan(to.pos);
  }
  return true;
}

}  // namespace

void zstd_decode_stream(ByteView in, Bytes& out, std::uint64_t limit) {
  if (in.empty()) fail(ErrorKind::corrupt, "no bytes where a zstd frame was expected");
  std::uint64_t guess = GrowingBuffer::guess(in);
  const std::uint64_t told = ZSTD_getFrameContentSize(in.data(), in.size());
  if (told != ZSTD_CONTENTSIZE_UNKNOWN && told != ZSTD_CONTENTSIZE_ERROR && told <= kMostGain * in.size()) guess = told;
  GrowingBuffer grown(out, limit, guess);
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

void zstd_decode_range(ByteView in, std::uint64_t raw, std::uint64_t offset, MutableBytes out) {
  if (offset > raw || out.size() > raw - offset)
    fail(ErrorKind::invalid_argument, "bytes {} to {} of {}", offset, offset + out.size(), raw);
  const std::uint64_t end = offset + out.size();
  if (end <= raw - raw / 8 && is_one_plain_frame(in, raw) && decode_up_to(in, offset, out)) return;
  if (raw / kMostGain > in.size()) fail(ErrorKind::corrupt, "{} bytes cannot hold {} raw bytes", in.size(), raw);
  Bytes all(raw);
  zstd_decode(in, all, {});
  std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
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
