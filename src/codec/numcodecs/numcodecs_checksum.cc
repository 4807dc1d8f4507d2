// Checksums stored with the data (numcodecs "crc32", "adler32", "crc32c").
//
//   u32 little-endian | data; or data | u32 with "location": "end".
//
// numcodecs before 0.13 knows no location: crc32 and adler32 are in front, crc32c did not exist.
#include "base/endian.h"
#include "base/fail.h"
#include "codec/checksum/checksum.h"
#include "codec/checksum/crc32c.h"
#include "codec/numcodecs/numcodecs.h"

namespace tegula::codec::numcodecs {

namespace {

struct Named {
  std::string_view name;
  std::uint32_t (*of)(ByteView);
};
constexpr Named kChecksums[] = {{"crc32", crc32}, {"adler32", adler32}, {"crc32c", crc32c}};

}  // namespace

Bytes checksum_decode(ByteView in, Checksum kind, bool at_end) {
  const Named& checksum = kChecksums[static_cast<std::size_t>(kind)];
  if (in.size() < 4) fail(ErrorKind::corrupt, "{}: {} bytes, expected at least 4", checksum.name, in.size());
  const ByteView data = at_end ? in.first(in.size() - 4) : in.subspan(4);
  const std::uint32_t stored = load_le<std::uint32_t>(at_end ? in.data() + data.size() : in.data());
  const std::uint32_t computed = checksum.of(data);
  if (stored != computed)
    fail(ErrorKind::corrupt, "{} of {} bytes is {:08x}, the file says {:08x}", checksum.name, data.size(), computed,
         stored);
  return copy_of(data);
}

Bytes checksum_encode(ByteView in, Checksum kind, bool at_end) {
  const Named& checksum = kChecksums[static_cast<std::size_t>(kind)];
  std::byte stored[4];
  store_le<std::uint32_t>(stored, checksum.of(in));
  Bytes out;
  out.reserve(in.size() + 4);
  if (!at_end) out.insert(out.end(), stored, stored + 4);
  out.insert(out.end(), in.begin(), in.end());
  if (at_end) out.insert(out.end(), stored, stored + 4);
  return out;
}

}  // namespace tegula::codec::numcodecs
