#include "codec/checksum/checksum.h"

#include <zlib.h>

#include "codec/inputs.h"

namespace tegula::codec {
namespace {

std::string digits(std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += "1234567890";
  return out;
}

TEST(Checksum, Digests) {
  struct Row {
    std::string text, md5, sha256;
  };
  // RFC 1321 (A.5) and FIPS 180-2 (B.1, B.2).
  const Row rows[] = {
      {"", "d41d8cd98f00b204e9800998ecf8427e", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"abc", "900150983cd24fb0d6963f7d28e17f72", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"message digest", "f96b697d7cb7938d525a2f31aaf161d0", ""},
      {digits(8), "57edf4a22be3c955ac49da2e2107b67a", ""},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "",
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
  };
  for (const Row& row : rows) {
    if (!row.md5.empty()) {
      EXPECT_EQ(to_hex(md5(bytes_of(row.text))), row.md5) << row.text;
    }
    if (!row.sha256.empty()) {
      EXPECT_EQ(to_hex(sha256(bytes_of(row.text))), row.sha256) << row.text;
    }
  }
  // A chunk of libtiledb 2.30.0.
  EXPECT_EQ(to_hex(md5(from_hex("002e5c8ab8e6194775"))), "c998b91e521d6a4e98ec285a78c8de32");
}

TEST(Checksum, AgreesWithZlib) {
  EXPECT_EQ(crc32(bytes_of("123456789")), 0xcbf43926u);
  EXPECT_EQ(adler32(bytes_of("Wikipedia")), 0x11e60398u);
  for (const Input& input : inputs()) {
    const auto* p = reinterpret_cast<const Bytef*>(input.data.data());
    const auto n = static_cast<uInt>(input.data.size());
    EXPECT_EQ(crc32(input.data), n ? ::crc32(0, p, n) : 0) << input.name;
    EXPECT_EQ(adler32(input.data), n ? ::adler32(1, p, n) : 1) << input.name;
  }
}

}  // namespace
}  // namespace tegula::codec
