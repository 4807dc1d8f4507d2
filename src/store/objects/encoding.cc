#include "store/objects/encoding.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <memory>

#include "base/fail.h"

namespace tegula::objects {

namespace {

bool plain_byte(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
         c == '.' || c == '~';
}

}  // namespace

std::string percent_encode(std::string_view text, bool keep_slash) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (plain_byte(c) || (c == '/' && keep_slash))
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string query_text(const Query& query) {
  std::vector<std::string> items;
  items.reserve(query.size());
  for (const auto& [name, value] : query)
    items.push_back(percent_encode(name, false) + "=" + percent_encode(value, false));
  std::sort(items.begin(), items.end());
  return fmt::format("{}", fmt::join(items, "&"));
}

std::string hex(ByteView bytes) {
  std::string out;
  out.reserve(2 * bytes.size());
  for (const std::byte b : bytes) out += fmt::format("{:02x}", std::to_integer<unsigned>(b));
  return out;
}

std::string base64(ByteView bytes) {
  std::string out(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  out.resize(static_cast<std::size_t>(EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                                      reinterpret_cast<const unsigned char*>(bytes.data()),
                                                      static_cast<int>(bytes.size()))));
  return out;
}

std::string sha256_hex(std::span<const ByteView> parts) {
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  std::array<std::byte, 32> digest;
  bool good = context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
  for (const ByteView part : parts) good = good && EVP_DigestUpdate(context.get(), part.data(), part.size()) == 1;
  if (!good || EVP_DigestFinal_ex(context.get(), reinterpret_cast<unsigned char*>(digest.data()), nullptr) != 1)
    fail(ErrorKind::io, "SHA-256 cannot be computed");
  return hex(digest);
}

Bytes hmac_sha256(ByteView key, std::string_view text) {
  Bytes out(32);
  unsigned size = 0;
  if (!HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(text.data()),
            text.size(), reinterpret_cast<unsigned char*>(out.data()), &size))
    fail(ErrorKind::io, "HMAC-SHA-256 cannot be computed");
  return out;
}

}  // namespace tegula::objects
