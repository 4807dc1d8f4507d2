#include "convert/filters.h"

#include <algorithm>
#include <charconv>

#include "base/fail.h"

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

// Names of the options that are given by place.
std::vector<std::string_view> places(std::string_view filter, std::string_view format) {
  if (filter == "blosc") return {"cname", format == "bcolz" ? "level" : "clevel", "shuffle"};
  if (filter == "bitwidth" || filter == "bit_width_reduction" || filter == "positive_delta") return {"window"};
  return {"level"};
}

// zarr before version 3 counts blosc's shuffles, the other formats name them.
Value shuffle_value(Value value, std::string_view format) {
  const auto* name = std::get_if<std::string>(&value);
  if (!name || format == "bcolz" || format == "zarr3") return value;
  constexpr std::string_view kNames[] = {"noshuffle", "shuffle", "bitshuffle"};
  for (std::int64_t i = 0; i < 3; ++i)
    if (*name == kNames[i]) return i;
  return value;
}

Filter parse_filter(std::string_view text, std::string_view format) {
  const std::vector<std::string> parts = split(text, ':');
  Filter filter{parts[0], {}};
  const std::vector<std::string_view> names = places(filter.name, format);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::size_t equals = parts[i].find('=');
    if (equals == std::string::npos && i > names.size())
      fail(ErrorKind::invalid_argument,
           "filter '{}': '{}' is one option too many; name further ones, as in {}:option=value", text, parts[i],
           filter.name);
    const std::string name = equals == std::string::npos ? std::string(names[i - 1]) : parts[i].substr(0, equals);
    Value value = option_value(equals == std::string::npos ? parts[i] : parts[i].substr(equals + 1));
    filter.options.emplace_back(name, name == "shuffle" ? shuffle_value(std::move(value), format) : std::move(value));
  }
  return filter;
}

}  // namespace

std::vector<Filter> parse_filters(std::string_view text, std::string_view format) {
  std::vector<Filter> filters;
  // TileDB arrays get filters of its choice where none are named, and go without them only when told so.
  if (text == "none" && format == "tiledb") return {{"none", {}}};
  if (text.empty() || text == "none") return filters;
  for (const std::string& part : split(text, ',')) {
    if (part.empty()) fail(ErrorKind::invalid_argument, "'{}' names no filter between two commas", text);
    filters.push_back(parse_filter(part, format));
  }
  return filters;
}

std::vector<Filter> default_filters(std::string_view format, const Datatype& type) {
  if (format == "tiledb") return parse_filters(type.size > 1 ? "byteshuffle,zstd:5" : "zstd:5", format);
  // The Blosc of zarr 1 refuses dates.
  if (format == "zarr1" && type.is_date()) return parse_filters("zlib:1", format);
  return parse_filters(type.size > 1 ? "blosc:lz4:5:shuffle" : "blosc:lz4:5:noshuffle", format);
}

std::optional<std::vector<Filter>> same_filters(const std::vector<Filter>& filters, std::string_view from,
                                                std::string_view to) {
  if (!from.starts_with("zarr") || !to.starts_with("zarr")) return std::nullopt;
  constexpr std::string_view kArrange[] = {"bytes", "transpose", "vlen-utf8", "vlen-bytes"};  // the writer chooses them
  constexpr std::string_view kKept[] = {"blosc", "zstd", "gzip", "zlib", "bz2", "lz4"};
  constexpr std::string_view kOptions[] = {"cname", "clevel", "shuffle", "level", "acceleration"};
  const auto in = [](const auto& list, std::string_view name) {
    return std::find(std::begin(list), std::end(list), name) != std::end(list);
  };
  std::vector<Filter> out;
  for (const Filter& filter : filters) {
    const std::string name = filter.name.starts_with("numcodecs.") ? filter.name.substr(10) : filter.name;
    if (in(kArrange, name)) continue;
    if (!in(kKept, name)) return std::nullopt;
    Filter kept{name, {}};
    for (const auto& [key, value] : filter.options)
      if (in(kOptions, key)) kept.options.emplace_back(key, key == "shuffle" ? shuffle_value(value, to) : value);
    out.push_back(std::move(kept));
  }
  if (out.size() > 1) return std::nullopt;
  // The first two versions know few compressors.
  const bool blosc = !out.empty() && out[0].name == "blosc";
  const bool newer = blosc && std::find(out[0].options.begin(), out[0].options.end(),
                                        std::pair<std::string, Value>("cname", "zstd")) != out[0].options.end();
  if (to == "zarr0" && (!blosc || newer)) return std::nullopt;
  if (to == "zarr1" && !out.empty() && (newer || (!blosc && out[0].name != "zlib" && out[0].name != "bz2")))
    return std::nullopt;
  return out;
}

}  // namespace tegula
