#include "capi/core/config.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "capi/core/config_defaults.h"

namespace tegula::capi {

namespace {

constexpr std::array<std::string_view, 18> kSecrets{"rest.token",
                                                    "rest.username",
                                                    "rest.password",
                                                    "vfs.azure.storage_account_name",
                                                    "vfs.azure.storage_account_key",
                                                    "vfs.azure.storage_sas_token",
                                                    "vfs.gcs.service_account_key",
                                                    "vfs.gcs.workload_identity_configuration",
                                                    "vfs.gcs.impersonate_service_account",
                                                    "vfs.s3.proxy_username",
                                                    "vfs.s3.proxy_password",
                                                    "vfs.s3.aws_access_key_id",
                                                    "vfs.s3.aws_secret_access_key",
                                                    "vfs.s3.aws_session_token",
                                                    "vfs.s3.aws_role_arn",
                                                    "vfs.s3.aws_external_id",
                                                    "vfs.s3.aws_load_frequency",
                                                    "vfs.s3.aws_session_name"};

template <class T>
bool parses(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

std::string lower(std::string_view text) {
  std::string low;
  for (const char c : text) low += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return low;
}

bool fits(const Parameter& parameter, std::string_view value) {
  using Kind = Parameter::Kind;
  switch (parameter.kind) {
    case Kind::flag:
      return lower(value) == "true" || lower(value) == "false";
    case Kind::number:
    case Kind::cores:
      return parses<std::uint64_t>(value);
    case Kind::real:
      return parses<double>(value);
    case Kind::text:
      break;
  }
  return true;
}

std::string environment_name(std::string_view prefix, std::string_view name) {
  std::string variable(prefix);
  for (const char c : name) variable += c == '.' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return variable;
}

}  // namespace

void Config::set(std::string_view name, std::string_view value) {
  if (const Parameter* known = find_parameter(name); known && !fits(*known, value))
    refuse("Config: Cannot set parameter '{}'; '{}' is not a value for it", name, value);
  set_.insert_or_assign(std::string(name), std::string(value));
}

void Config::unset(std::string_view name) { set_.erase(std::string(name)); }

const std::string* Config::find(const std::string& name) const {
  if (const auto at = set_.find(name); at != set_.end()) return &at->second;
  const auto keep = [&](std::string value) {
    std::string& kept = environment_[name];
    if (kept != value) kept = std::move(value);
    return &kept;
  };
  if (name != "config.env_var_prefix") {
    if (const char* value = std::getenv(environment_name(text("config.env_var_prefix"), name).c_str()))
      return keep(value);
  }
  if (const Parameter* known = find_parameter(name)) return keep(default_of(*known));
  return nullptr;
}

std::string Config::text(const std::string& name) const {
  const std::string* value = find(name);
  return value ? *value : std::string();
}

// "True" is what Python programs write.
bool Config::flag(const std::string& name) const { return lower(text(name)) == "true"; }

std::uint64_t Config::number(const std::string& name) const {
  const std::string value = text(name);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size())
    refuse("Config: parameter '{}' is '{}', which is not a number", name, value);
  return number;
}

std::map<std::string, std::string> Config::all(std::string_view prefix) const {
  std::map<std::string, std::string> found;
  const auto add = [&](std::string_view name) {
    if (name.starts_with(prefix)) found[std::string(name.substr(prefix.size()))] = text(std::string(name));
  };
  for (const Parameter& parameter : parameters()) add(parameter.name);
  for (const auto& [name, value] : set_) add(name);
  return found;
}

void Config::merge(const Config& other) {
  for (const auto& [name, value] : other.set_) set_.insert_or_assign(name, value);
}

void Config::load(const std::string& file) {
  std::ifstream in(file);
  if (!in) refuse("Config: Failed to open config file '{}'", file);
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    std::istringstream words(line);
    std::string name, value, more;
    words >> name >> value;
    if (name.empty() || name.front() == '#') continue;
    if (value.empty() || value.front() == '#')
      refuse("Config: Failed to parse config file '{}'; line {} has no value for '{}'", file, number, name);
    if (words >> more && more.front() != '#')
      refuse("Config: Failed to parse config file '{}'; line {} has '{}' behind the value", file, number, more);
    set(name, value);
  }
}

void Config::save(const std::string& file) const {
  std::ofstream to(file);
  for (const auto& [name, value] : all()) {
    if (!value.empty() && std::find(kSecrets.begin(), kSecrets.end(), name) == kSecrets.end())
      to << name << ' ' << value << '\n';
  }
  to.close();
  if (!to) refuse("Config: Failed to write config file '{}'", file);
}

const Config& config_or(const ConfigHandle* handle, const Config& otherwise) {
  return handle ? checked(handle).config : otherwise;
}

}  // namespace tegula::capi
