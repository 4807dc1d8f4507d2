// One zlib stream (RFC 1950), whose raw size is known.
//
//   78 01 / 5e / 9c / da   header; the second byte hints at the level
//   deflate blocks         RFC 1951
//   Adler-32               of the raw bytes, big-endian
//
// TileDB also writes every generic tile this way, at level 1.
//
// libdeflate does the work. Its streams are not the bytes that zlib writes at the same level, but every inflate reads
// them. Level 0 means stored blocks; levels below 0 mean zlib's default, 6, as in libtiledb. For empty input zlib
// writes 8 bytes and libdeflate 11; zlib's 8 are written here.

#include "codec/compress/gzip.h"

#include <libdeflate.h>

#include <array>

#include "base/fail.h"
#include "codec/compress/deflate.h"

namespace tegula::codec {

bool zlib_decode_exact(ByteView in, MutableBytes out) {
  std::size_t consumed = 0;
  std::byte nothing;
  void* to = out.empty() ? &nothing : out.data();
  // Without a place for the real size libdeflate accepts only a stream of exactly out.size() bytes.
  const auto result =
      libdeflate_zlib_decompress_ex(thread_inflater(), in.data(), in.size(), to, out.size(), &consumed, nullptr);
  return result == LIBDEFLATE_SUCCESS && consumed == in.size();
}

void gzip_decode(ByteView in, MutableBytes out, const Params&) {
  if (!zlib_decode_exact(in, out))
    fail(ErrorKind::corrupt, "{} bytes are not a zlib stream of {} raw bytes", in.size(), out.size());
}

void gzip_encode(ByteView in, Bytes& out, const Params& params) {
  constexpr std::array<unsigned char, 8> kEmpty = {0x78, 0x9c, 0x03, 0x00, 0x00, 0x00, 0x00, 0x01};
  libdeflate_compressor* deflater = thread_deflater(params.level);
  const std::size_t at = out.size();
  if (in.empty()) {
    const auto empty = std::as_bytes(std::span(kEmpty));
    out.insert(out.end(), empty.begin(), empty.end());
    return;
  }
  out.resize(at + libdeflate_zlib_compress_bound(deflater, in.size()));
  const std::size_t size = libdeflate_zlib_compress(deflater, in.data(), in.size(), out.data() + at, out.size() - at);
  if (size == 0) fail(ErrorKind::io, "libdeflate could not compress {} bytes", in.size());
  out.resize(at + size);
}

}  // namespace tegula::codec
