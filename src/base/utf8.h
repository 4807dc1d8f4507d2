// UTF-8 and code points.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tegula {

// Code points beyond Unicode become U+FFFD.
inline void append_utf8(std::string& out, std::uint32_t point) {
  if (point > 0x10FFFF) point = 0xFFFD;
  if (point < 0x80) {
    out += static_cast<char>(point);
    return;
  }
  constexpr unsigned kLead[] = {0, 0xC0, 0xE0, 0xF0};
  const int more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  out += static_cast<char>(kLead[more] | (point >> (6 * more)));
  for (int i = more - 1; i >= 0; --i) out += static_cast<char>(0x80 | ((point >> (6 * i)) & 63));
}

// No value for bytes that are not UTF-8: overlong forms, surrogates and cut sequences among them.
inline std::optional<std::vector<std::uint32_t>> decode_utf8(std::string_view text) {
  std::vector<std::uint32_t> points;
  points.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80         ? 1
                               : (lead >> 5) == 6  ? 2
                               : (lead >> 4) == 14 ? 3
                               : (lead >> 3) == 30 ? 4
                                                   : 0;
    if (length == 0 || i + length > text.size()) return std::nullopt;
    std::uint32_t point = length == 1 ? lead : lead & (0x7Fu >> length);
    for (std::size_t k = 1; k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next >> 6) != 2) return std::nullopt;
      point = (point << 6) | (next & 63);
    }
    constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
    if (point < kLeast[length] || point > 0x10FFFF || (point >= 0xD800 && point < 0xE000)) return std::nullopt;
    points.push_back(point);
    i += length;
  }
  return points;
}

}  // namespace tegula
