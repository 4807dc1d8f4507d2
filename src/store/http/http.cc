#include "store/http/http.h"

#include <fmt/format.h>

#include <charconv>
#include <ctime>

namespace tegula::http {

namespace {

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

}  // namespace

const std::string* find(const Headers& headers, std::string_view name) {
  for (const Header& header : headers)
    if (header.name == name) return &header.value;
  return nullptr;
}

std::optional<ContentRange> parse_content_range(std::string_view text) {
  constexpr std::string_view kUnit = "bytes ";
  if (!text.starts_with(kUnit)) return std::nullopt;
  text.remove_prefix(kUnit.size());
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string_view range = text.substr(0, slash), size = text.substr(slash + 1);
  ContentRange out;
  if (size != "*") {
    out.size = number_of(size);
    if (!out.size) return std::nullopt;
  }
  if (range != "*") {
    const std::size_t dash = range.find('-');
    if (dash == std::string_view::npos) return std::nullopt;
    out.first = number_of(range.substr(0, dash));
    out.last = number_of(range.substr(dash + 1));
    if (!out.first || !out.last || *out.last < *out.first || (out.size && *out.last >= *out.size)) return std::nullopt;
  }
  return out;
}

std::optional<std::uint64_t> content_length(const Headers& headers) {
  const std::string* value = find(headers, "content-length");
  return value ? number_of(*value) : std::nullopt;
}

std::optional<std::chrono::system_clock::time_point> parse_date(const std::string& text) {
  std::tm when{};
  if (!::strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S", &when)) return std::nullopt;
  // The clock counts nanoseconds in 64 bits, which end before the year 2262.
  if (when.tm_year > 2200 - 1900) return std::nullopt;
  return std::chrono::system_clock::from_time_t(::timegm(&when));
}

std::string range_of(std::uint64_t offset, std::uint64_t length) {
  return fmt::format("bytes={}-{}", offset, offset + length - 1);
}

std::string suffix_of(std::uint64_t length) { return fmt::format("bytes=-{}", length); }

}  // namespace tegula::http
