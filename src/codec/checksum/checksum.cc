// OpenSSL computes MD5 and SHA-256 (TileDB filters 12 and 13), libdeflate CRC-32 and Adler-32 (numcodecs filters of
// zarr).

#include "codec/checksum/checksum.h"

#include <libdeflate.h>
#include <openssl/evp.h>

#include <memory>

#include "base/fail.h"

namespace tegula::codec {

namespace {

struct Digest {
  explicit Digest(const char* digest_name) : name(digest_name), method(EVP_MD_fetch(nullptr, digest_name, nullptr)) {}

  template <std::size_t N>
  std::array<std::byte, N> operator()(ByteView data) const {
    std::array<std::byte, N> result;
    unsigned size = 0;
    if (!method) fail(ErrorKind::unsupported, "this system's OpenSSL offers no {}", name);
    if (EVP_Digest(data.data(), data.size(), reinterpret_cast<unsigned char*>(result.data()), &size, method.get(),
                   nullptr) != 1 ||
        size != N)
      fail(ErrorKind::io, "OpenSSL could not compute {}", name);
    return result;
  }

  struct Free {
    void operator()(EVP_MD* p) const { EVP_MD_free(p); }
  };
  const char* name;
  std::unique_ptr<EVP_MD, Free> method;
};

}  // namespace

// Looking a method up by name costs more than digesting a small chunk: each is looked up once and never changes.
std::array<std::byte, 16> md5(ByteView data) {
  static const Digest digest("MD5");
  return digest.operator()<16>(data);
}

std::array<std::byte, 32> sha256(ByteView data) {
  static const Digest digest("SHA256");
  return digest.operator()<32>(data);
}

std::uint32_t crc32(ByteView data) { return crc32(data, 0); }

std::uint32_t crc32(ByteView data, std::uint32_t before) {
  // A null pointer would mean the CRC-32 of nothing.
  return data.empty() ? before : libdeflate_crc32(before, data.data(), data.size());
}

std::uint32_t adler32(ByteView data) {
  return libdeflate_adler32(1, data.empty() ? nullptr : data.data(), data.size());
}

}  // namespace tegula::codec
