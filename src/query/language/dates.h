// Dates and durations written as text.
#pragma once

#include <optional>
#include <string_view>

#include "query/language/int128.h"
#include "tegula/datatype.h"

namespace tegula {

// A point on an integer axis, or one strictly between `floor` and `floor + 1`.
struct Ticks {
  Int128 floor = 0;
  bool exact = true;
};

// "2020", "2020-01", "2020-01-02", "2020-01-02T03:04:05.678", a space for the T, a final Z; "NaT". Counts since 1970 in
// the type's unit. No value for any other text.
std::optional<Ticks> parse_datetime(std::string_view text, const Datatype& type);
// "90", "36h", "-2 days", "15ms": without a unit, ticks of the type's own.
std::optional<Ticks> parse_timedelta(std::string_view text, const Datatype& type);

}  // namespace tegula
