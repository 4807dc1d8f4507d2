// How texts, digests and queries are spelled in requests.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tegula/bytes.h"

namespace tegula::objects {

using Query = std::vector<std::pair<std::string, std::string>>;

// Everything but A-Z a-z 0-9 - _ . ~ as %XX; '/' stays when it is to be kept.
std::string percent_encode(std::string_view text, bool keep_slash);
// "a=1&b=" of names and values, encoded and sorted as they are signed. Empty: "".
std::string query_text(const Query& query);

std::string hex(ByteView bytes);
std::string base64(ByteView bytes);
std::string sha256_hex(std::span<const ByteView> parts);
// HMAC-SHA-256, 32 bytes.
Bytes hmac_sha256(ByteView key, std::string_view text);

}  // namespace tegula::objects
