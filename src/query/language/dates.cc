#include "query/language/dates.h"

#include <charconv>

namespace tegula {
namespace {

// Attoseconds per unit, from weeks down: every such unit is a whole number of them.
constexpr Int128 kSecond = Int128{1000000000} * 1000000000;
constexpr Int128 unit_size(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::week:
      return kSecond * 604800;
    case TimeUnit::day:
      return kSecond * 86400;
    case TimeUnit::hour:
      return kSecond * 3600;
    case TimeUnit::minute:
      return kSecond * 60;
    case TimeUnit::second:
      return kSecond;
    case TimeUnit::ms:
      return kSecond / 1000;
    case TimeUnit::us:
      return kSecond / 1000000;
    case TimeUnit::ns:
      return kSecond / 1000000000;
    case TimeUnit::ps:
      return 1000000;
    case TimeUnit::fs:
      return 1000;
    case TimeUnit::as:
      return 1;
    default:
      return 0;
  }
}

Ticks divided(Int128 value, Int128 by) {
  Int128 quotient = value / by;
  const Int128 rest = value % by;
  if (rest < 0) --quotient;
  return {quotient, rest == 0};
}

// Days since 1970 in the proleptic Gregorian calendar; years count from March so that leap days come last.
std::int64_t days_from_civil(std::int64_t year, int month, int day) {
  year -= month <= 2;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

int days_in_month(std::int64_t year, int month) {
  static constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return kDays[month - 1] + (month == 2 && leap);
}

struct Moment {
  std::int64_t year = 1970;
  int month = 1, day = 1;
  Int128 attoseconds = 0;  // of the day
};

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}
  bool done() const { return at_ == text_.size(); }
  bool take(char c) {
    if (done() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::optional<int> digits(std::size_t width) {
    if (text_.size() - at_ < width) return {};
    int value = 0;
    for (std::size_t i = 0; i < width; ++i) {
      const char c = text_[at_ + i];
      if (c < '0' || c > '9') return {};
      value = value * 10 + (c - '0');
    }
    at_ += width;
    return value;
  }
  // Up to 18 decimals, as attoseconds.
  std::optional<std::int64_t> fraction() {
    std::int64_t value = 0, scale = 1000000000000000000;
    std::size_t begin = at_;
    while (!done() && text_[at_] >= '0' && text_[at_] <= '9') {
      if (scale == 1) return {};
      scale /= 10;
      value += (text_[at_++] - '0') * scale;
    }
    if (at_ == begin) return {};
    return value;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

std::optional<Moment> parse_moment(std::string_view text) {
  Reader in(text);
  Moment moment;
  const bool before = in.take('-');
  const auto year = in.digits(4);
  if (!year) return {};
  moment.year = before ? -*year : *year;
  if (in.done()) return moment;
  if (!in.take('-')) return {};
  const auto month = in.digits(2);
  if (!month || *month < 1 || *month > 12) return {};
  moment.month = *month;
  if (in.done()) return moment;
  if (!in.take('-')) return {};
  const auto day = in.digits(2);
  if (!day || *day < 1 || *day > days_in_month(moment.year, *month)) return {};
  moment.day = *day;
  if (in.done()) return moment;
  if (!in.take('T') && !in.take(' ')) return {};
  static constexpr int kLimits[] = {24, 60, 60};
  std::int64_t seconds = 0;
  for (int part = 0; part < 3; ++part) {
    const auto value = in.digits(2);
    if (!value || *value >= kLimits[part]) return {};
    seconds += *value * (part == 0 ? 3600 : part == 1 ? 60 : 1);
    if (part == 2 || !in.take(':')) {
      moment.attoseconds = seconds * kSecond;
      if (part == 2 && in.take('.')) {
        const auto fraction = in.fraction();
        if (!fraction) return {};
        moment.attoseconds += *fraction;
      }
      break;
    }
  }
  in.take('Z');
  if (!in.done()) return {};
  return moment;
}

constexpr std::pair<std::string_view, TimeUnit> kUnits[] = {
    {"Y", TimeUnit::year},   {"year", TimeUnit::year},     {"M", TimeUnit::month},  {"month", TimeUnit::month},
    {"W", TimeUnit::week},   {"week", TimeUnit::week},     {"D", TimeUnit::day},    {"day", TimeUnit::day},
    {"h", TimeUnit::hour},   {"hour", TimeUnit::hour},     {"m", TimeUnit::minute}, {"minute", TimeUnit::minute},
    {"s", TimeUnit::second}, {"second", TimeUnit::second}, {"ms", TimeUnit::ms},    {"us", TimeUnit::us},
    {"ns", TimeUnit::ns},    {"ps", TimeUnit::ps},         {"fs", TimeUnit::fs},    {"as", TimeUnit::as},
};

std::optional<TimeUnit> parse_unit(std::string_view text) {
  for (const auto& [name, unit] : kUnits)
    if (text == name ||
        (name.size() > 2 && text.size() == name.size() + 1 && text.starts_with(name) && text.ends_with('s')))
      return unit;
  return {};
}

bool calendar(TimeUnit unit) { return unit == TimeUnit::year || unit == TimeUnit::month; }

}  // namespace

std::optional<Ticks> parse_datetime(std::string_view text, const Datatype& type) {
  if (text == "NaT") return Ticks{INT64_MIN, true};
  const auto moment = parse_moment(text);
  if (!moment) return {};
  const Int128 count = type.unit_count ? type.unit_count : 1;
  if (calendar(type.unit)) {
    const std::int64_t months = (moment->year - 1970) * 12 + moment->month - 1;
    Ticks ticks = divided(months, type.unit == TimeUnit::year ? count * 12 : count);
    if (moment->day != 1 || moment->attoseconds != 0) ticks.exact = false;
    return ticks;
  }
  const Int128 unit = unit_size(type.unit);
  if (unit == 0) return {};
  const Int128 days = days_from_civil(moment->year, moment->month, moment->day);
  return divided(days * 86400 * kSecond + moment->attoseconds, unit * count);
}

std::optional<Ticks> parse_timedelta(std::string_view text, const Datatype& type) {
  if (text == "NaT") return Ticks{INT64_MIN, true};
  std::int64_t amount = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), amount);
  if (error != std::errc()) return {};
  std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  if (rest.empty()) return Ticks{amount, true};
  const auto unit = parse_unit(rest);
  if (!unit || calendar(*unit) != calendar(type.unit)) return {};
  const Int128 count = type.unit_count ? type.unit_count : 1;
  if (calendar(*unit)) {
    const Int128 months = Int128{amount} * (*unit == TimeUnit::year ? 12 : 1);
    return divided(months, type.unit == TimeUnit::year ? count * 12 : count);
  }
  const Int128 size = unit_size(type.unit), given = unit_size(*unit);
  if (size == 0) return {};
  // Through the ratio of the units, because attoseconds of a long duration in weeks would not fit.
  if (given >= size) return divided(Int128{amount} * (given / size), count);
  return divided(amount, (size / given) * count);
}

}  // namespace tegula
