#include "expected_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/utf8.h"

namespace tegula::conformance {

namespace {

std::string bytes_of_hex(const std::string& hex) {
  std::string out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    out += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return out;
}

void flatten(Json& out, const Json& value, std::size_t depth) {
  if (depth == 0) {
    out.push_back(plain(value));
    return;
  }
  for (const Json& item : value) flatten(out, item, depth - 1);
}

// Sums and means of floats depend on the order of the additions, which no document fixes.
bool close(const Json& want, const Json& have) {
  if (want.size() != have.size()) return false;
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (want[i] == have[i]) continue;
    if (!want[i].is_number_float() || !have[i].is_number()) return false;
    const double a = want[i].get<double>(), b = have[i].get<double>();
    if (std::fabs(a - b) > 1e-12 * std::max({1.0, std::fabs(a), std::fabs(b)})) return false;
  }
  return true;
}

std::vector<std::string> rows(const Json& fields, const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < fields[names[0]].size(); ++i) {
    Json row = Json::array();
    for (const std::string& name : names) row.push_back(i < fields[name].size() ? fields[name][i] : Json());
    out.push_back(dump_json(row, {.sort_keys = true}));
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

Json plain(const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (value.is_number_float()) {
    const double real = value.get<double>();
    if (std::fabs(real) < 0x1p53 && real == std::floor(real)) return static_cast<std::int64_t>(real);
    return value;
  }
  if (value.is_array()) {
    Json out = Json::array();
    for (const Json& item : value) out.push_back(plain(item));
    return out;
  }
  if (!value.is_object()) return value;
  if (value.size() == 2 && value.contains("repeat") && value.contains("times")) {
    std::string out;
    for (int i = 0; i < value["times"].get<int>(); ++i) out += value["repeat"].get<std::string>();
    return out;
  }
  if (value.size() == 1 && value.contains("hex")) {
    const std::string bytes = bytes_of_hex(value["hex"].get<std::string>());
    return decode_utf8(bytes) ? Json(bytes) : value;
  }
  // Records compare whatever the order of their fields.
  Json out = Json::object();
  std::vector<std::string> keys;
  for (const auto& [key, item] : value.items()) keys.push_back(key);
  std::sort(keys.begin(), keys.end());
  for (const std::string& key : keys) out[key] = plain(value[key]);
  return out;
}

Json expected_fields(const Json& check, bool named) {
  const bool shaped = check.contains("shape") && check["shape"].is_array();
  const std::size_t depth = shaped ? check["shape"].size() : 1;
  Json out = Json::object();
  if (named) {
    for (const auto& [name, values] : check["result"].items()) flatten(out[name] = Json::array(), values, depth);
  } else {
    flatten(out[""] = Json::array(), check["result"], depth);
  }
  return out;
}

std::optional<std::string> difference(const Json& check, bool named, const Json& answer) {
  const Json want = expected_fields(check, named);
  Json have = Json::object();
  for (const auto& [name, values] : want.items()) {
    if (!answer["fields"].contains(name)) return fmt::format("field '{}' is missing", name);
    have[name] = plain(answer["fields"][name]);
  }
  const bool aggregates = check.contains("aggregates") && check["aggregates"].is_object();
  const bool unordered =
      check.value("sorted", false) || (check.contains("layout") && check["layout"] == "unordered" && !aggregates);
  if (unordered && !want.empty()) {
    std::vector<std::string> names;
    for (const auto& [name, values] : want.items()) names.push_back(name);
    return rows(want, names) == rows(have, names) ? std::nullopt : std::optional<std::string>("other rows");
  }
  for (const auto& [name, values] : want.items()) {
    if (values == have[name] || (aggregates && close(values, have[name]))) continue;
    std::size_t at = 0;
    while (at < values.size() && at < have[name].size() && values[at] == have[name][at]) ++at;
    return fmt::format("field '{}' differs at {}: want {} of {}, got {} of {}", name, at,
                       at < values.size() ? dump_json(values[at]) : "nothing", values.size(),
                       at < have[name].size() ? dump_json(have[name][at]) : "nothing", have[name].size());
  }
  if (check.contains("shape") && check["shape"].is_array() && answer["shape"].is_array() &&
      check["shape"] != answer["shape"])
    return fmt::format("shape {}, want {}", dump_json(answer["shape"]), dump_json(check["shape"]));
  return std::nullopt;
}

}  // namespace tegula::conformance
