// AES-256-GCM without additional data.
#pragma once

#include <array>

#include "tegula/bytes.h"

namespace tegula::codec {

using AesIv = std::array<std::byte, 12>;
using AesTag = std::array<std::byte, 16>;

// A 32-byte key that is wiped from memory when it is destroyed and never appears in a message.
class AesKey {
 public:
  explicit AesKey(ByteView key);  // throws invalid_argument unless 32 bytes
  ~AesKey();
  AesKey(const AesKey& other);
  AesKey& operator=(const AesKey& other);
  ByteView bytes() const { return key_; }

 private:
  std::array<std::byte, 32> key_;
};

// out.size() must be in.size(). Throws corrupt when the tag does not match: a wrong key or damaged bytes.
void aes_gcm_decrypt(const AesKey& key, const AesIv& iv, const AesTag& tag, ByteView in, MutableBytes out);
// Draws a fresh random iv.
void aes_gcm_encrypt(const AesKey& key, ByteView in, MutableBytes out, AesIv& iv, AesTag& tag);

}  // namespace tegula::codec
