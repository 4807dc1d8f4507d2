// Shared Key, by which Azure knows who asks.
#pragma once

#include <string>
#include <string_view>

#include "store/http/http.h"
#include "store/objects/encoding.h"

namespace tegula::azure {

// The text whose signature the request carries. `path` is the encoded path of its URL; `query` has names and values as
// they were before they were encoded. Headers are in lower case; `date` is not sent, but x-ms-date.
std::string text_to_sign(const http::Request& request, std::string_view account, std::string_view path,
                         const objects::Query& query);

// The value of the header `authorization`. Throws Error(invalid_argument) when the key is not base64.
std::string shared_key(std::string_view account, std::string_view key, std::string_view text);

}  // namespace tegula::azure
