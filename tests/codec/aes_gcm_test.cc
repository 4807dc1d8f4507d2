#include "codec/aes_gcm.h"

#include <algorithm>

#include "codec/inputs.h"
#include "support/expect_error.h"

namespace tegula::codec {
namespace {

template <class Array>
Array array_of(std::string_view hex) {
  Array out;
  const Bytes bytes = from_hex(hex);
  std::ranges::copy(bytes, out.begin());
  return out;
}

// McGrew and Viega, "The Galois/Counter Mode of Operation", test cases 13 to 15: 256-bit keys, no additional data.
TEST(AesGcm, KnownVectors) {
  struct Row {
    const char *key, *iv, *plain, *cipher, *tag;
  };
  const Row rows[] = {
      {"0000000000000000000000000000000000000000000000000000000000000000", "000000000000000000000000", "", "",
       "530f8afbc74536b9a963b4f1c4cb738b"},
      {"0000000000000000000000000000000000000000000000000000000000000000", "000000000000000000000000",
       "00000000000000000000000000000000", "cea7403d4d606b6e074ec5d3baf39d18", "d0d1c8a799996bf0265b98b5d48ab919"},
      {"feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888",
       "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de65"
       "7ba637b"
       "391aafd255",
       "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0"
       "abcc9f6"
       "62898015ad",
       "b094dac5d93471bdec1a502270e3cc6c"},
  };
  for (const Row& row : rows) {
    const AesKey key(from_hex(row.key));
    const Bytes cipher = from_hex(row.cipher);
    Bytes plain(cipher.size());
    aes_gcm_decrypt(key, array_of<AesIv>(row.iv), array_of<AesTag>(row.tag), cipher, plain);
    EXPECT_EQ(to_hex(plain), row.plain);
  }
}

TEST(AesGcm, RoundTripAndDamage) {
  const AesKey key(random_bytes(32, 1)), other(random_bytes(32, 2));
  AesIv last{};
  for (const Input& input : inputs()) {
    AesIv iv{};
    AesTag tag{};
    Bytes cipher(input.data.size()), back(input.data.size());
    aes_gcm_encrypt(key, input.data, cipher, iv, tag);
    EXPECT_NE(iv, last) << "the IV must be fresh";
    last = iv;
    aes_gcm_decrypt(key, iv, tag, cipher, back);
    EXPECT_TRUE(same(back, input.data)) << input.name;

    EXPECT_ERROR(corrupt, "", aes_gcm_decrypt(other, iv, tag, cipher, back));
    EXPECT_TRUE(std::ranges::all_of(back, [](std::byte b) { return b == std::byte{0}; }))
        << "nothing unverified is left";
    AesTag bad_tag = tag;
    bad_tag[15] ^= std::byte{1};
    EXPECT_ERROR(corrupt, "", aes_gcm_decrypt(key, iv, bad_tag, cipher, back));
    AesIv bad_iv = iv;
    bad_iv[0] ^= std::byte{1};
    EXPECT_ERROR(corrupt, "", aes_gcm_decrypt(key, bad_iv, tag, cipher, back));
    if (cipher.empty()) continue;
    cipher[cipher.size() / 2] ^= std::byte{1};
    EXPECT_ERROR(corrupt, "", aes_gcm_decrypt(key, iv, tag, cipher, back));
  }
}

TEST(AesGcm, Refuses) {
  for (std::size_t size : {0u, 16u, 31u, 33u}) EXPECT_ERROR(invalid_argument, "", AesKey key(random_bytes(size, 1)));
  const AesKey key(random_bytes(32, 1));
  AesIv iv{};
  AesTag tag{};
  Bytes in(4), out(5);
  EXPECT_ERROR(invalid_argument, "", aes_gcm_encrypt(key, in, out, iv, tag));
  EXPECT_ERROR(invalid_argument, "", aes_gcm_decrypt(key, iv, tag, in, out));
}

}  // namespace
}  // namespace tegula::codec
