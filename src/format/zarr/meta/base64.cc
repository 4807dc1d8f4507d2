#include "format/zarr/meta/base64.h"

#include <cstdint>

namespace tegula::zarr {

namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string base64_encode(ByteView bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (k < n ? std::to_integer<std::uint32_t>(bytes[i + k]) : 0);
    for (std::size_t k = 0; k < 4; ++k) out += k <= n ? kAlphabet[group >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

std::optional<Bytes> base64_decode(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  Bytes out;
  for (std::size_t i = 0; i < text.size(); i += 4) {
    std::uint32_t group = 0;
    std::size_t padding = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const char c = text[i + k];
      const std::size_t digit = kAlphabet.find(c);
      if (c == '=' && k >= 2 && i + 4 == text.size()) {
        ++padding;
      } else if (digit == std::string_view::npos || padding != 0) {
        return std::nullopt;
      }
      group = group << 6 | (padding ? 0 : static_cast<std::uint32_t>(digit));
    }
    for (std::size_t k = 0; k < 3 - padding; ++k) out.push_back(static_cast<std::byte>(group >> (16 - 8 * k) & 0xff));
  }
  return out;
}

}  // namespace tegula::zarr
