// Ranges of text that old releases stored too short.
#pragma once

#include <cstdint>
#include <string_view>

namespace tegula::tiledb {

// Before format 10 (libtiledb 2.0 to 2.3), a range from "" to "" was left out when ranges were joined. So a joined
// range that begins with the empty text may end before its last cell. libtiledb misses these cells to this day.
constexpr bool may_be_too_short(std::uint32_t version, std::string_view low) { return version < 10 && low.empty(); }

// Greater than any text.
inline constexpr std::string_view kAboveText = "\xff";

}  // namespace tegula::tiledb
