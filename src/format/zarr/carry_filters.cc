#include "format/zarr/carry_filters.h"

#include <algorithm>

namespace tegula::zarr {

namespace {

constexpr std::string_view kArrange[] = {"bytes", "transpose", "vlen-utf8", "vlen-bytes"};  // the writer chooses them
constexpr std::string_view kKept[] = {"blosc", "zstd", "gzip", "zlib", "bz2", "lz4"};
constexpr std::string_view kOptions[] = {"cname", "clevel", "shuffle", "level", "acceleration"};
constexpr std::string_view kShuffles[] = {"noshuffle", "shuffle", "bitshuffle"};

bool is_in(const auto& list, std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

// Versions before 3 count Blosc's shuffles.
Value shuffle_for(const Value& value, std::string_view to) {
  const auto* name = std::get_if<std::string>(&value);
  if (!name || to == "zarr3") return value;
  for (std::int64_t i = 0; i < 3; ++i)
    if (*name == kShuffles[i]) return i;
  return value;
}

}  // namespace

std::optional<std::vector<Filter>> carry_filters(const Attribute& attribute, std::string_view, std::string_view to) {
  if (to == "zarr1" && attribute.type.is_date()) return std::nullopt;  // its Blosc refuses dates
  std::vector<Filter> out;
  for (const Filter& filter : attribute.filters) {
    const std::string name = filter.name.starts_with("numcodecs.") ? filter.name.substr(10) : filter.name;
    if (is_in(kArrange, name)) continue;
    if (!is_in(kKept, name)) return std::nullopt;
    Filter kept{name, {}};
    for (const auto& [key, value] : filter.options)
      if (is_in(kOptions, key)) kept.options.emplace_back(key, key == "shuffle" ? shuffle_for(value, to) : value);
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

}  // namespace tegula::zarr
