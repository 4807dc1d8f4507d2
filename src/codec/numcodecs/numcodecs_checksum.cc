// Checksums stored with the data (numcodecs "crc32", "adler32", "crc32c", "fletcher32", "jenkins_lookup3").
//
//   u32 little-endian | data; or data | u32 with "location": "end".
//
// numcodecs before 0.13 knows no location: crc32 and adler32 are in front, crc32c did not exist.
#include "base/endian.h"
#include "base/fail.h"
#include "codec/checksum/checksum.h"
#include "codec/checksum/crc32c.h"
#include "codec/checksum/fletcher32.h"
#include "codec/checksum/lookup3.h"
#include "codec/numcodecs/numcodecs.h"

namespace tegula::codec::numcodecs {

namespace {

struct Named {
  std::string_view name;
  std::uint32_t (*of)(ByteView, std::uint32_t seed);
};
// By Checksum.
constexpr Named kChecksums[] = {
    {"crc32", [](ByteView data, std::uint32_t) { return crc32(data); }},
    {"adler32", [](ByteView data, std::uint32_t) { return adler32(data); }},
    {"crc32c", [](ByteView data, std::uint32_t) { return crc32c(data); }},
    {"fletcher32", [](ByteView data, std::uint32_t) { return fletcher32(data); }},
    {"jenkins_lookup3", lookup3},
};

}  // namespace

Bytes checksum_decode(ByteView in, Checksum kind, bool at_end, std::uint32_t seed) {
  const Named& checksum = kChecksums[static_cast<std::size_t>(kind)];
  if (in.size() < 4) fail(ErrorKind::corrupt, "{}: {} bytes, expected at least 4", checksum.name, in.size());
  const ByteView data = at_end ? in.first(in.size() - 4) : in.subspan(4);
  const std::uint32_t stored = load_le<std::uint32_t>(at_end ? in.data() + data.size() : in.data());
  const std::uint32_t computed = checksum.of(data, seed);
  if (stored != computed)
    fail(ErrorKind::corrupt, "{} of {} bytes is {:08x}, the file says {:08x}", checksum.name, data.size(), computed,
         stored);
  return copy_of(data);
}

Bytes checksum_encode(ByteView in, Checksum kind, bool at_end, std::uint32_t seed) {
  const Named& checksum = kChecksums[static_cast<std::size_t>(kind)];
  std::byte stored[4];
  store_le<std::uint32_t>(stored, checksum.of(in, seed));
  Bytes out;
  out.reserve(in.size() + 4);
  if (!at_end) out.insert(out.end(), stored, stored + 4);
  out.insert(out.end(), in.begin(), in.end());
  if (at_end) out.insert(out.end(), stored, stored + 4);
  return out;
}

}  // namespace tegula::codec::numcodecs
