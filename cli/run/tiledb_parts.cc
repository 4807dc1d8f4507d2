#include "run/tiledb_parts.h"

#include <array>

namespace tegula::cli {

namespace {

constexpr std::array<PartName, 4> kParts = {{{"fragments", tiledb::Part::fragments},
                                             {"fragment-meta", tiledb::Part::fragment_metadata},
                                             {"commits", tiledb::Part::commits},
                                             {"array-meta", tiledb::Part::array_metadata}}};

}  // namespace

std::vector<PartName> parts_of(const std::string& what) {
  std::vector<PartName> out;
  for (const PartName& known : kParts)
    if (what == "all" || what == known.name) out.push_back(known);
  return out;
}

std::vector<std::string> part_names() {
  std::vector<std::string> names;
  for (const PartName& known : kParts) names.emplace_back(known.name);
  names.emplace_back("all");
  return names;
}

void write_names(JsonWriter& json, const char* key, const std::vector<std::string>& names) {
  json.key(key).begin('[');
  for (const std::string& name : names) json.text(name);
  json.end(']');
}

}  // namespace tegula::cli
