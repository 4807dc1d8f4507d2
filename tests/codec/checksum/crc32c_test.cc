#include "codec/checksum/crc32c.h"

#include "codec/inputs.h"

namespace tegula::codec {
namespace {

TEST(Crc32c, KnownVectors) {
  // RFC 3720, B.4.
  Bytes zeros(32, std::byte{0}), ones(32, std::byte{0xff});
  EXPECT_EQ(crc32c(zeros), 0x8a9136aau);
  EXPECT_EQ(crc32c(ones), 0x62a8ab43u);
  EXPECT_EQ(crc32c(make_bytes(32, [](std::size_t i) { return i; })), 0x46dd794eu);
  EXPECT_EQ(crc32c(make_bytes(32, [](std::size_t i) { return 31 - i; })), 0x113fdb5cu);
  EXPECT_EQ(crc32c(bytes_of("123456789")), 0xe3069283u);
  EXPECT_EQ(crc32c({}), 0u);
}

TEST(Crc32c, FastAgreesWithPlain) {
  const Bytes data = random_bytes(20000, 11);
  const ByteView view = data;
  for (std::size_t size = 0; size < 400; ++size) {
    EXPECT_EQ(crc32c(view.subspan(size % 9, size)), plain::crc32c(view.subspan(size % 9, size))) << size;
  }
  for (std::size_t size : {3071u, 3072u, 3073u, 6143u, 6144u, 6151u, 9999u, 19990u})
    for (std::size_t from = 0; from < 8; ++from)
      EXPECT_EQ(crc32c(view.subspan(from, size)), plain::crc32c(view.subspan(from, size))) << size;
}

}  // namespace
}  // namespace tegula::codec
