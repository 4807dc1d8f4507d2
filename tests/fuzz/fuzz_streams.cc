// room: codec
// The first byte chooses the kind of stream; the rest is decoded up to 64 KiB. What decodes as a whole does so in
// parts.
#include <algorithm>
#include <cstdlib>

#include "codec/compress/bzip2.h"
#include "codec/compress/gzip_stream.h"
#include "codec/compress/lzma_stream.h"
#include "codec/compress/zstd_stream.h"
#include "tegula/error.h"

namespace {

using namespace tegula;
using namespace tegula::codec;

constexpr LzmaFilter kRaw1[] = {{.id = 0x4000000000000001, .dict_size = 65536}};
constexpr LzmaFilter kRaw2[] = {{.id = 3, .dist = 4}, {.id = 33, .dict_size = 65536}};

using Decode = void (*)(ByteView in, Bytes& out, std::uint64_t limit);
void zstd_in_parts(ByteView in, Bytes& out, std::uint64_t limit) {
  zstd_decode_stream(in, out, limit);
  const std::size_t half = out.size() / 2;
  for (const std::size_t from : {std::size_t{0}, half / 2, half}) {
    Bytes part(half);
    zstd_decode_range(in, out.size(), from, part);
    if (!std::equal(part.begin(), part.end(), out.begin() + static_cast<std::ptrdiff_t>(from))) std::abort();
  }
}

constexpr Decode kDecoders[] = {
    zlib_decode_stream,
    gzip_decode_stream,
    zstd_decode_stream,
    bzip2_decode_stream,
    [](ByteView in, Bytes& out, std::uint64_t limit) { lzma_decode_stream(in, out, limit, {.format = 1}); },
    [](ByteView in, Bytes& out, std::uint64_t limit) { lzma_decode_stream(in, out, limit, {.format = 2}); },
    [](ByteView in, Bytes& out, std::uint64_t limit) {
      lzma_decode_stream(in, out, limit, {.format = 3, .filters = kRaw1});
    },
    [](ByteView in, Bytes& out, std::uint64_t limit) {
      lzma_decode_stream(in, out, limit, {.format = 3, .filters = kRaw2});
    },
    zstd_in_parts,
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint64_t kLimit = 65536;
  if (size == 0) return 0;
  Bytes out;
  try {
    kDecoders[data[0] % std::size(kDecoders)](std::as_bytes(std::span(data + 1, size - 1)), out, kLimit);
    if (out.size() > kLimit) std::abort();
  } catch (const Error&) {
    if (!out.empty()) std::abort();
  }
  return 0;
}
