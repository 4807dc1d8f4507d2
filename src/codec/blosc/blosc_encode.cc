// Writing Blosc 1 chunks, through libblosc's context interface: one thread, no global state, no look at the BLOSC_*
// environment variables (which its plain interface obeys).
//
// libblosc keeps the promises that old readers need: chunks below 128 bytes, of level 0 or without gain are plain
// copies; bit 4 of the flags is clear whenever a block is split by the rule that readers before 1.11 apply. One
// exception, as in every C-Blosc since 1.14: zstd blocks are never split, so chunks with zstd need 1.11 or later to
// read.

#include <blosc.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/fail.h"
#include "codec/blosc/blosc.h"

namespace tegula::codec {

void blosc_encode(ByteView in, Bytes& out, const BloscParams& params) {
  constexpr std::array<std::string_view, 6> kNames = {"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"};
  const std::string cname(params.cname);
  if (std::ranges::find(kNames, params.cname) == kNames.end())
    fail(ErrorKind::invalid_argument, "unknown Blosc compressor '{}'; there are {}", cname, fmt::join(kNames, ", "));
  if (params.level < 0 || params.level > 9)
    fail(ErrorKind::invalid_argument, "Blosc level {}: levels are 0 to 9", params.level);
  if (params.shuffle < 0 || params.shuffle > 2)
    fail(ErrorKind::invalid_argument, "Blosc shuffle {}: 0 none, 1 bytes, 2 bits", params.shuffle);
  if (params.typesize == 0) fail(ErrorKind::invalid_argument, "Blosc items must have at least one byte");
  if (in.size() > BLOSC_MAX_BUFFERSIZE)
    fail(ErrorKind::invalid_argument, "a Blosc chunk holds less than 2 GiB, not {} bytes; use smaller chunks",
         in.size());

  const std::size_t typesize = params.typesize > BLOSC_MAX_TYPESIZE ? 1 : params.typesize;
  const std::size_t at = out.size(), room = in.size() + BLOSC_MAX_OVERHEAD;
  out.resize(at + room);
  const int size = blosc_compress_ctx(params.level, params.shuffle, typesize, in.size(), in.data(), out.data() + at,
                                      room, cname.c_str(), params.block_size, 1);
  if (size <= 0) {
    out.resize(at);
    fail(ErrorKind::unsupported, "libblosc could not compress {} bytes with '{}' (result {}); this build may lack it",
         in.size(), cname, size);
  }
  out.resize(at + static_cast<std::size_t>(size));
}

}  // namespace tegula::codec
