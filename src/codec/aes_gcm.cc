// AES-256-GCM without additional data: 12-byte IV, 16-byte tag, ciphertext as long as the plain text. OpenSSL does the
// work.
//
// TileDB's encryption (filter 11): the last filter of every pipeline of an encrypted array. The 32 bytes of the key are
// used directly, there is no derivation. The IV is random and fresh for each part; IV and tag are stored in the chunk
// metadata.

#include "codec/aes_gcm.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <memory>
#include <new>

#include "base/fail.h"

namespace tegula::codec {

namespace {

constexpr std::size_t kStep = std::size_t{1} << 30;  // OpenSSL counts in int

struct Free {
  void operator()(EVP_CIPHER_CTX* p) const { EVP_CIPHER_CTX_free(p); }
};
using Context = std::unique_ptr<EVP_CIPHER_CTX, Free>;

Context new_context() {
  Context context(EVP_CIPHER_CTX_new());
  if (!context) throw std::bad_alloc();
  return context;
}

const unsigned char* raw(ByteView bytes) { return reinterpret_cast<const unsigned char*>(bytes.data()); }
unsigned char* raw(MutableBytes bytes) { return reinterpret_cast<unsigned char*>(bytes.data()); }

void check_sizes(ByteView in, MutableBytes out) {
  if (in.size() != out.size())
    fail(ErrorKind::invalid_argument, "AES-GCM: {} bytes in, room for {}; they must be equal", in.size(), out.size());
}

void check(int result) {
  if (result != 1) fail(ErrorKind::unsupported, "this system's OpenSSL refused AES-256-GCM");
}

// `update` is EVP_EncryptUpdate or EVP_DecryptUpdate.
template <class F>
void run(F update, EVP_CIPHER_CTX* context, ByteView in, MutableBytes out) {
  for (std::size_t at = 0; at < in.size(); at += kStep) {
    const std::size_t n = std::min(in.size() - at, kStep);
    int written = 0;
    check(update(context, raw(out.subspan(at, n)), &written, raw(in.subspan(at, n)), static_cast<int>(n)));
  }
}

}  // namespace

AesKey::AesKey(ByteView key) {
  if (key.size() != key_.size())
    fail(ErrorKind::invalid_argument, "an encryption key has {} bytes, not {}", key_.size(), key.size());
  std::ranges::copy(key, key_.begin());
}

AesKey::~AesKey() { OPENSSL_cleanse(key_.data(), key_.size()); }
AesKey::AesKey(const AesKey& other) = default;
AesKey& AesKey::operator=(const AesKey& other) = default;

void aes_gcm_decrypt(const AesKey& key, const AesIv& iv, const AesTag& tag, ByteView in, MutableBytes out) {
  check_sizes(in, out);
  const Context context = new_context();
  check(EVP_DecryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, raw(key.bytes()), raw(ByteView(iv))));
  run(EVP_DecryptUpdate, context.get(), in, out);
  AesTag expected = tag;
  check(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_SET_TAG, static_cast<int>(expected.size()), expected.data()));
  unsigned char nothing[1];
  int written = 0;
  if (EVP_DecryptFinal_ex(context.get(), nothing, &written) != 1) {
    std::ranges::fill(out, std::byte{0});  // unauthenticated bytes must not be used by mistake
    fail(ErrorKind::corrupt, "decryption failed: another key wrote these {} bytes, or they are damaged", in.size());
  }
}

void aes_gcm_encrypt(const AesKey& key, ByteView in, MutableBytes out, AesIv& iv, AesTag& tag) {
  check_sizes(in, out);
  if (RAND_bytes(raw(MutableBytes(iv)), static_cast<int>(iv.size())) != 1)
    fail(ErrorKind::io, "the system gave no random bytes for an initialisation vector");
  const Context context = new_context();
  check(EVP_EncryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, raw(key.bytes()), raw(ByteView(iv))));
  run(EVP_EncryptUpdate, context.get(), in, out);
  unsigned char nothing[1];
  int written = 0;
  check(EVP_EncryptFinal_ex(context.get(), nothing, &written));
  check(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, static_cast<int>(tag.size()), tag.data()));
}

}  // namespace tegula::codec
