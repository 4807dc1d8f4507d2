// room: codec
// A Blosc chunk, whole and in part. The first three bytes choose the options and the range.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "codec/blosc/blosc.h"
#include "tegula/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tegula;
  constexpr std::size_t kOptions = 3, kMost = std::size_t{1} << 20;
  if (size < kOptions) return 0;
  const codec::BloscOptions options{.rescue = (data[0] & 1) != 0};
  const ByteView chunk = std::as_bytes(std::span(data + kOptions, size - kOptions));
  try {
    const codec::BloscHeader header = codec::blosc_header(chunk);
    const std::uint64_t from = std::uint64_t{header.nbytes} * data[1] / 256;
    Bytes part(std::min<std::uint64_t>((header.nbytes - from) * data[2] / 256, kMost));
    if (header.nbytes <= kMost) {
      Bytes whole(header.nbytes);
      codec::blosc_decode(chunk, whole, options);
      // Where the whole decodes, so does a part, to the same bytes.
      codec::blosc_decode_range(chunk, from, part, options);
      if (!part.empty() && std::memcmp(part.data(), whole.data() + from, part.size()) != 0) std::abort();
    } else {
      codec::blosc_decode_range(chunk, from, part, options);
    }
  } catch (const Error&) {
  }
  return 0;
}
