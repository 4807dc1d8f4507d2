// Bytes as people write them: "16000000 00 01".
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "tegula/bytes.h"

namespace tegula::tiledb::testing {

inline Bytes hex(std::string_view text) {
  Bytes out;
  int half = -1;
  for (const char c : text) {
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) continue;
    if (half < 0) {
      half = digit;
    } else {
      out.push_back(static_cast<std::byte>(half * 16 + digit));
      half = -1;
    }
  }
  return out;
}

inline std::string to_hex(ByteView bytes) {
  std::string out;
  for (const std::byte b : bytes) out += fmt::format("{:02x}", static_cast<unsigned>(b));
  return out;
}

}  // namespace tegula::tiledb::testing
