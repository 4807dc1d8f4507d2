// Base64 with padding, as fill values of bytes and records are stored.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tegula/bytes.h"

namespace tegula::zarr {

std::string base64_encode(ByteView bytes);
// No value unless all of `text` is base64.
std::optional<Bytes> base64_decode(std::string_view text);

}  // namespace tegula::zarr
