#include "query/request/iso_dates.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>

#include "base/datatype_names.h"
#include "base/fail.h"
#include "query/language/dates.h"

namespace tegula {

namespace {

constexpr std::int64_t kDay = 86400;

// Seconds of a tick and digits after the point, for units of seconds and below; fewer ticks than a second have
// `per_second`.
struct UnitScale {
  TimeUnit unit;
  std::int64_t seconds;     // of one tick
  std::int64_t per_second;  // ticks, when they are shorter than a second
  int digits;
};
constexpr UnitScale kScales[] = {
    {TimeUnit::week, 7 * kDay, 1, -3}, {TimeUnit::day, kDay, 1, -3},     {TimeUnit::hour, 3600, 1, -1},
    {TimeUnit::minute, 60, 1, -1},     {TimeUnit::second, 1, 1, 0},      {TimeUnit::ms, 0, 1000, 3},
    {TimeUnit::us, 0, 1000000, 6},     {TimeUnit::ns, 0, 1000000000, 9},
};

std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

std::optional<std::string> calendar_text(const Datatype& type, std::int64_t ticks) {
  Int128 wide = static_cast<Int128>(ticks) * type.unit_count;
  if (wide > INT64_MAX || wide < INT64_MIN) return std::nullopt;
  const auto count = static_cast<std::int64_t>(wide);
  if (type.unit == TimeUnit::year || type.unit == TimeUnit::month) {
    const std::int64_t months = type.unit == TimeUnit::month                       ? count
                                : count > INT64_MAX / 12 || count < INT64_MIN / 12 ? INT64_MAX
                                                                                   : count * 12;
    const std::int64_t year = floor_divide(months, 12) + 1970;
    if (year < 1 || year > 9999) return std::nullopt;
    if (type.unit == TimeUnit::year) return fmt::format("{:04}", year);
    return fmt::format("{:04}-{:02}", year, months - floor_divide(months, 12) * 12 + 1);
  }
  for (const UnitScale& scale : kScales) {
    if (scale.unit != type.unit) continue;
    wide = scale.seconds ? static_cast<Int128>(count) * scale.seconds : floor_divide(count, scale.per_second);
    if (wide < -62135596800 || wide > 253402300799) return std::nullopt;
    const auto seconds = static_cast<std::int64_t>(wide);
    const std::int64_t days = floor_divide(seconds, kDay), rest = seconds - days * kDay;
    const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{days}}};
    std::string text = fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                                   static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
    if (scale.digits == -3) return text;
    text += fmt::format("T{:02}:{:02}", rest / 3600, rest / 60 % 60);
    if (scale.digits >= 0) text += fmt::format(":{:02}", rest % 60);
    if (scale.digits > 0)
      text += fmt::format(".{:0{}}", count - floor_divide(count, scale.per_second) * scale.per_second, scale.digits);
    return text;
  }
  return std::nullopt;
}

// Takes "+02:00" or "-0530" off the end of a time; milliseconds that clocks there are ahead of UTC.
std::int64_t take_offset(std::string_view& text) {
  const std::size_t time = text.find_first_of("T "), sign = text.find_first_of("+-", std::min(time, text.size()));
  if (sign == std::string_view::npos) return 0;
  const std::string_view offset = text.substr(sign + 1);
  const bool colon = offset.size() == 5 && offset[2] == ':';
  unsigned hours = 0, minutes = 0;
  const auto number = [&](std::size_t at, unsigned& into) {
    const auto [end, error] = std::from_chars(offset.data() + at, offset.data() + at + 2, into);
    return error == std::errc{} && end == offset.data() + at + 2;
  };
  if ((!colon && offset.size() != 4) || !number(0, hours) || !number(colon ? 3 : 2, minutes) || hours > 23 ||
      minutes > 59)
    return 0;
  const std::int64_t ahead = (hours * 60 + minutes) * 60000;
  const bool behind = text[sign] == '-';
  text = text.substr(0, sign);
  return behind ? -ahead : ahead;
}

}  // namespace

std::string date_text(const Datatype& type, std::int64_t ticks) {
  if (type.id == TypeId::datetime)
    if (const auto text = calendar_text(type, ticks)) return *text;
  const std::string_view unit = unit_name(type.unit);
  if (unit.empty() || type.id == TypeId::datetime) return fmt::format("{}", ticks);
  return type.unit_count == 1 ? fmt::format("{} {}", ticks, unit)
                              : fmt::format("{} x {} {}", ticks, type.unit_count, unit);
}

std::optional<std::uint64_t> parse_time(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && end == text.data() + text.size()) return number;
  if (text.find('-') == std::string_view::npos) return std::nullopt;
  Datatype ms(TypeId::datetime);
  ms.unit = TimeUnit::ms;
  const std::int64_t ahead = take_offset(text);
  const std::optional<Ticks> ticks = parse_datetime(text, ms);
  if (!ticks || ticks->floor < ahead) return std::nullopt;
  return static_cast<std::uint64_t>(ticks->floor - ahead);
}

std::pair<std::uint64_t, std::uint64_t> parse_time_range(std::string_view text) {
  if (const auto time = parse_time(text)) return {0, *time};
  // Times hold colons themselves, so each one may be the separator.
  for (std::size_t at = text.find(':'); at != std::string_view::npos; at = text.find(':', at + 1)) {
    const std::string_view low = text.substr(0, at), high = text.substr(at + 1);
    const auto first = low.empty() ? std::optional<std::uint64_t>(0) : parse_time(low);
    const auto last = high.empty() ? std::optional<std::uint64_t>(UINT64_MAX) : parse_time(high);
    if (!first || !last) continue;
    if (*first > *last) fail(ErrorKind::invalid_argument, "'{}': the first time is later than the second", text);
    return {*first, *last};
  }
  fail(ErrorKind::invalid_argument,
       "'{}' is not a time; write milliseconds since 1970, a date such as 2024-05-31 or 2024-05-31T12:00, or two of "
       "them T1:T2",
       text);
}

std::uint64_t parse_write_time(const std::string& text) {
  if (text.empty()) return 0;
  if (const auto time = parse_time(text)) return *time;
  fail(ErrorKind::invalid_argument, "'{}' is not a time; write milliseconds since 1970 or an ISO date", text);
}

}  // namespace tegula
