#include "schema/metadata_text.h"

#include <algorithm>
#include <utility>

#include "schema/schema_text.h"

namespace tegula::cli {

namespace {

std::string type_text(const MetaValue& value) {
  if (value.json) return "json";
  std::string text = display_name(value.type);
  if (value.count != 1 && !value.type.is_text()) text += fmt::format(" x {}", value.count);
  return text;
}

}  // namespace

std::string meta_json(const MetaValue& value) {
  if (value.json) return std::string(text_of(value.data));
  Column column;
  column.type = value.type;
  column.values_per_cell = value.type.is_text() || value.count != 1 ? kVar : 1;
  column.data = value.data;
  if (column.var()) column.offsets = {0, value.data.size()};
  std::string out;
  if (column.cell_size() > value.data.size()) return "null";
  append_json_cell(out, column, 0, Dialect::common);
  return out;
}

std::string strict_meta_json(const MetaValue& value) {
  constexpr std::pair<std::string_view, std::string_view> kBare[] = {
      {"NaN", "\"nan\""}, {"-Infinity", "\"-inf\""}, {"Infinity", "\"inf\""}};
  const std::string text = meta_json(value);
  std::string out;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = std::string_view(text).substr(i);
    const auto* bare = quoted ? std::end(kBare)
                              : std::find_if(std::begin(kBare), std::end(kBare),
                                             [&](const auto& pair) { return rest.starts_with(pair.first); });
    if (bare != std::end(kBare)) {
      out += bare->second;
      i += bare->first.size() - 1;
      continue;
    }
    if (text[i] == '"') quoted = !quoted;
    out += text[i];
    if (quoted && text[i] == '\\' && i + 1 < text.size()) out += text[++i];
  }
  return out;
}

std::string metadata_lines(const Metadata& metadata, std::string_view indent) {
  constexpr std::size_t kMost = 100;
  std::vector<std::vector<std::string>> rows;
  for (const auto& [key, value] : metadata) {
    std::string text = meta_json(value);
    if (text.size() > kMost) text = fmt::format("{}... ({} characters)", text.substr(0, kMost), text.size());
    rows.push_back({key, type_text(value), text});
  }
  return aligned(rows, indent);
}

void write_metadata(JsonWriter& json, const Metadata& metadata) {
  json.begin('{');
  for (const auto& [key, value] : metadata) {
    json.key(key);
    if (value.json)
      json.raw(strict_meta_json(value));
    else
      json.begin('{').key("type").text(display_name(value.type)).key("value").raw(meta_json(value)).end('}');
  }
  json.end('}');
}

}  // namespace tegula::cli
