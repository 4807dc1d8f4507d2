// One raw LZ4 block. The raw size comes from outside; zarr stores it in front of the block, and its driver removes it.
//
// The level is ignored, as in libtiledb. There is no checksum: damage inside literals goes unnoticed here.

#include "codec/compress/lz4.h"

#include <lz4.h>

#include <limits>

#include "base/fail.h"

namespace tegula::codec {

bool lz4_decode_exact(ByteView in, MutableBytes out) {
  constexpr std::size_t kLimit = std::numeric_limits<int>::max();
  if (in.empty() || in.size() > kLimit || out.size() > kLimit) return false;
  char nothing;
  char* to = out.empty() ? &nothing : reinterpret_cast<char*>(out.data());
  const int size = LZ4_decompress_safe(reinterpret_cast<const char*>(in.data()), to, static_cast<int>(in.size()),
                                       static_cast<int>(out.size()));
  return size >= 0 && static_cast<std::size_t>(size) == out.size();
}

void lz4_decode(ByteView in, MutableBytes out, const Params&) {
  if (!lz4_decode_exact(in, out))
    fail(ErrorKind::corrupt, "{} bytes are not an LZ4 block of {} raw bytes", in.size(), out.size());
}

void lz4_encode(ByteView in, Bytes& out, const Params&) {
  if (in.size() > LZ4_MAX_INPUT_SIZE)
    fail(ErrorKind::invalid_argument, "an LZ4 block holds at most {} bytes, not {}; use smaller chunks",
         LZ4_MAX_INPUT_SIZE, in.size());
  const std::size_t at = out.size();
  const int bound = LZ4_compressBound(static_cast<int>(in.size()));
  out.resize(at + static_cast<std::size_t>(bound));
  const int size = LZ4_compress_default(reinterpret_cast<const char*>(in.data()),
                                        reinterpret_cast<char*>(out.data() + at), static_cast<int>(in.size()), bound);
  if (size <= 0) fail(ErrorKind::io, "lz4 could not compress {} bytes", in.size());
  out.resize(at + static_cast<std::size_t>(size));
}

}  // namespace tegula::codec
