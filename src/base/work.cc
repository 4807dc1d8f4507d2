#include "tegula/work.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cmath>

#include "base/cancel_poll.h"
#include "base/fail.h"
#include "tegula/version.h"

namespace tegula {

const char* version() noexcept { return TEGULA_VERSION; }

void Cancel::check() const {
  CancelPoll::run();
  if (requested()) throw Error(ErrorKind::cancelled, "stopped on request");
}

std::uint64_t parse_size(std::string_view text) {
  constexpr std::string_view kUnits = "kmgtp";
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string unit;
  for (const char c : text.substr(static_cast<std::size_t>(end - text.data())))
    if (c != ' ') unit += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  double scale = 1;
  if (!unit.empty() && unit != "b") {
    const std::size_t power = kUnits.find(unit[0]);
    const std::string_view tail = std::string_view(unit).substr(1);
    if (power == std::string_view::npos || (tail != "" && tail != "b" && tail != "ib"))
      scale = 0;
    else
      scale = std::pow(1024.0, static_cast<double>(power + 1));
  }
  const double bytes = number * scale;
  if (error != std::errc{} || scale == 0 || !(number >= 0) || !(bytes < 9.2e18))
    fail(ErrorKind::invalid_argument, "'{}' is not a size; write for example 512MB, 2GB or 65536", text);
  return static_cast<std::uint64_t>(bytes);
}

std::string format_size(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes);
  const char* unit = "";
  for (const char* next : {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}) {
    value /= 1024;
    unit = next;
    if (value < 1023.95) break;
  }
  return fmt::format("{:.1f} {}", value, unit);
}

}  // namespace tegula
