// JSON that holds keys.
#pragma once

#include <string_view>

#include "base/json.h"
#include "tegula/bytes.h"

namespace tegula::objects {

// As parse_json(), but the message of its Error(corrupt) quotes nothing of the text.
Json parse_secret_json(ByteView bytes, std::string_view where);

}  // namespace tegula::objects
