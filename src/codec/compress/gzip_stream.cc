// libdeflate decodes whole buffers only: when the buffer is too small the stream is decoded again into one four times
// as large, which is still faster than a streaming inflate. The last four bytes of a gzip file with one member hold its
// raw size (modulo 2^32), so that size is tried first.

#include "codec/compress/gzip_stream.h"

#include <libdeflate.h>

#include "base/endian.h"
#include "base/fail.h"
#include "codec/compress/deflate.h"
#include "codec/compress/growing_buffer.h"

namespace tegula::codec {

namespace {

constexpr std::size_t kLeastMember = 18;  // header of 10, trailer of 8

using Inflate = libdeflate_result (*)(libdeflate_decompressor*, const void*, std::size_t, void*, std::size_t,
                                      std::size_t*, std::size_t*);

// Decodes the stream at the start of `in` into `grown` and returns its length.
std::size_t inflate(Inflate inflate, ByteView in, GrowingBuffer& grown, std::string_view what) {
  for (;;) {
    std::size_t consumed = 0, written = 0;
    std::byte nothing;
    const MutableBytes room = grown.room();
    const auto result = inflate(thread_inflater(), in.data(), in.size(), room.empty() ? &nothing : room.data(),
                                room.size(), &consumed, &written);
    if (result == LIBDEFLATE_SUCCESS) {
      grown.commit(written);
      return consumed;
    }
    if (result != LIBDEFLATE_INSUFFICIENT_SPACE) fail(ErrorKind::corrupt, "{} bytes are not {}", in.size(), what);
    grown.more(what);
  }
}

}  // namespace

void zlib_decode_stream(ByteView in, Bytes& out, std::uint64_t limit) {
  GrowingBuffer grown(out, limit, GrowingBuffer::guess(in));
  const std::size_t consumed = inflate(libdeflate_zlib_decompress_ex, in, grown, "a zlib stream");
  if (consumed != in.size())
    fail(ErrorKind::corrupt, "{} bytes behind a zlib stream of {}", in.size() - consumed, consumed);
  grown.finish();
}

void gzip_decode_stream(ByteView in, Bytes& out, std::uint64_t limit) {
  std::uint64_t guess = GrowingBuffer::guess(in);
  if (in.size() >= kLeastMember) {
    const std::uint64_t told = load_le<std::uint32_t>(in.data() + in.size() - 4);
    if (told <= kMostDeflateGain * in.size()) guess = told;
  }
  GrowingBuffer grown(out, limit, guess);
  do {
    in = in.subspan(inflate(libdeflate_gzip_decompress_ex, in, grown, "a gzip stream"));
  } while (!in.empty());
  grown.finish();
}

void gzip_encode_stream(ByteView in, Bytes& out, int level) {
  libdeflate_compressor* deflater = thread_deflater(level);
  const std::size_t at = out.size();
  out.resize(at + libdeflate_gzip_compress_bound(deflater, in.size()));
  const std::size_t size = libdeflate_gzip_compress(deflater, in.data(), in.size(), out.data() + at, out.size() - at);
  if (size == 0) fail(ErrorKind::io, "libdeflate could not compress {} bytes", in.size());
  out.resize(at + size);
}

}  // namespace tegula::codec
