// Dates and times as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tegula/datatype.h"

namespace tegula {

// "2020-01-02T03:04:05.678" to the precision of the unit; "36 h" for a timedelta; the tick count when there is no unit
// or the date lies outside of the years 1 to 9999.
std::string date_text(const Datatype& type, std::int64_t ticks);

// Milliseconds since 1970, or an ISO date (UTC); a day means its start. No value for other text.
std::optional<std::uint64_t> parse_time(std::string_view text);
// "T" (everything up to T) or "T1:T2", both ends included; either end of a pair may be left out. Throws
// invalid_argument.
std::pair<std::uint64_t, std::uint64_t> parse_time_range(std::string_view text);
// The time of a write: 0, which means now, for empty text. Throws invalid_argument.
std::uint64_t parse_write_time(const std::string& text);

}  // namespace tegula
