#include "capi/schema/domain.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "format/tiledb/disk/with_type.h"

namespace tegula::capi {

using tiledb::SchemaDimension;

std::size_t dimension_index(const Dimensions& dimensions, std::string_view name) {
  const auto at = std::find_if(dimensions.begin(), dimensions.end(),
                               [&](const auto& dimension) { return dimension->name == name; });
  if (at == dimensions.end()) refuse("Domain: Dimension '{}' does not exist", name);
  return static_cast<std::size_t>(at - dimensions.begin());
}

std::size_t checked_index(const Dimensions& dimensions, std::uint64_t index) {
  if (index >= dimensions.size())
    refuse("Domain: Dimension {} out of bounds, domain has rank {}", index, dimensions.size());
  return static_cast<std::size_t>(index);
}

std::string dump(const SchemaDimension& dimension) {
  const auto value = [&](std::size_t offset, ByteView bytes) -> std::string {
    if (bytes.size() < offset + dimension.type.size) return "null";
    const Value found = tiledb::value_from_bytes(dimension.type, bytes.subspan(offset, dimension.type.size));
    if (const auto* i = std::get_if<std::int64_t>(&found)) return fmt::format("{}", *i);
    if (const auto* u = std::get_if<std::uint64_t>(&found)) return fmt::format("{}", *u);
    if (const auto* d = std::get_if<double>(&found)) return fmt::format("{}", *d);
    return "null";
  };
  return fmt::format("### Dimension ###\n- Name: {}\n- Type: {}\n- Cell val num: {}\n- Domain: {}\n- Tile extent: {}\n",
                     dimension.name, tiledb_name(dimension.type_code), dimension.var() ? "var" : "1",
                     dimension.domain.empty() ? "(null,null)"
                                              : fmt::format("[{}, {}]", value(0, dimension.domain),
                                                            value(dimension.type.size, dimension.domain)),
                     value(0, dimension.extent));
}

std::string dump(const Dimensions& dimensions) {
  std::string text;
  for (const auto& dimension : dimensions) text += (text.empty() ? "" : "\n") + dump(*dimension);
  return text;
}

Bytes whole_extent(const SchemaDimension& dimension) {
  Bytes extent;
  if (dimension.var() || dimension.domain.empty()) return extent;
  const Value low = tiledb::value_from_bytes(dimension.type, ByteView(dimension.domain).first(dimension.type.size));
  const Value high = tiledb::value_from_bytes(dimension.type, ByteView(dimension.domain).subspan(dimension.type.size));
  if (const auto* l = std::get_if<double>(&low)) {
    tiledb::value_to_bytes(dimension.type, std::get<double>(high) - *l, extent);
    return extent;
  }
  const std::uint64_t first = std::holds_alternative<std::int64_t>(low)
                                  ? static_cast<std::uint64_t>(std::get<std::int64_t>(low))
                                  : std::get<std::uint64_t>(low);
  const std::uint64_t last = std::holds_alternative<std::int64_t>(high)
                                 ? static_cast<std::uint64_t>(std::get<std::int64_t>(high))
                                 : std::get<std::uint64_t>(high);
  const std::uint64_t count = last - first == UINT64_MAX ? UINT64_MAX : last - first + 1;
  // Extents have the type of the dimension: a domain that covers a signed type has more cells than it can count.
  const auto* bytes = reinterpret_cast<const std::byte*>(&count);
  extent.assign(bytes, bytes + dimension.type.size);
  return extent;
}

}  // namespace tegula::capi
