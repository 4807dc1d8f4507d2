#include "convert/filters.h"

#include <algorithm>
#include <charconv>

#include "base/fail.h"
#include "format/registry/registry.h"

namespace tegula {

namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator)
      parts.emplace_back();
    else if (c != ' ')
      parts.back() += c;
  }
  return parts;
}

Value option_value(const std::string& text) {
  std::int64_t whole = 0;
  const char* end = text.data() + text.size();
  if (const auto parsed = std::from_chars(text.data(), end, whole); parsed.ec == std::errc{} && parsed.ptr == end)
    return whole;
  double real = 0;
  if (const auto parsed = std::from_chars(text.data(), end, real); parsed.ec == std::errc{} && parsed.ptr == end)
    return real;
  return text;
}

// Names of the options that are given by their position.
std::vector<std::string_view> places(std::string_view filter, const FilterNotation& notation) {
  if (filter == "blosc") return {"cname", notation.blosc_level, "shuffle"};
  if (filter == "bitwidth" || filter == "bit_width_reduction" || filter == "positive_delta") return {"window"};
  return {"level"};
}

Value shuffle_value(Value value, const FilterNotation& notation) {
  const auto* name = std::get_if<std::string>(&value);
  if (!name || notation.shuffle_names) return value;
  constexpr std::string_view kNames[] = {"noshuffle", "shuffle", "bitshuffle"};
  for (std::int64_t i = 0; i < 3; ++i)
    if (*name == kNames[i]) return i;
  return value;
}

Filter parse_filter(std::string_view text, const FilterNotation& notation) {
  const std::vector<std::string> parts = split(text, ':');
  Filter filter{parts[0], {}};
  const std::vector<std::string_view> names = places(filter.name, notation);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::size_t equals = parts[i].find('=');
    if (equals == std::string::npos && i > names.size())
      fail(ErrorKind::invalid_argument,
           "filter '{}': '{}' is one option too many; name further ones, as in {}:option=value", text, parts[i],
           filter.name);
    const std::string name = equals == std::string::npos ? std::string(names[i - 1]) : parts[i].substr(0, equals);
    Value value = option_value(equals == std::string::npos ? parts[i] : parts[i].substr(equals + 1));
    filter.options.emplace_back(name, name == "shuffle" ? shuffle_value(std::move(value), notation) : std::move(value));
  }
  return filter;
}

}  // namespace

std::vector<Filter> parse_filters(std::string_view text, std::string_view format) {
  std::vector<Filter> filters;
  const FilterNotation& notation = find_format(format).format.filters;
  if (text == "none" && notation.explicit_none) return {{"none", {}}};
  if (text.empty() || text == "none") return filters;
  for (const std::string& part : split(text, ',')) {
    if (part.empty()) fail(ErrorKind::invalid_argument, "'{}' has two commas without a filter between them", text);
    filters.push_back(parse_filter(part, notation));
  }
  return filters;
}

std::vector<Filter> default_filters(std::string_view format, const Datatype& type) {
  const Driver& driver = find_format(format).driver;
  return driver.default_filters ? parse_filters(driver.default_filters(format, type), format) : std::vector<Filter>{};
}

std::vector<Filter> carried_filters(const Attribute& attribute, std::string_view from, std::string_view to) {
  const Driver& driver = find_format(to).driver;
  if (driver.carry_filters && &find_format(from).driver == &driver)
    if (std::optional<std::vector<Filter>> carried = driver.carry_filters(attribute, from, to)) return *carried;
  return default_filters(to, attribute.type);
}

}  // namespace tegula
