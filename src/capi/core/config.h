// Parameters by name, with libtiledb's names and defaults.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "capi/core/handles.h"

namespace tegula::capi {

// Unknown names are kept like known ones.
class Config {
 public:
  // Throws Refusal when a known parameter cannot have this value.
  void set(std::string_view name, std::string_view value);
  void unset(std::string_view name);
  // What was set, else the environment (TILEDB_SM_..., read at every call), else the default. Null when there is none
  // of these. The text stays valid until the parameter changes.
  const std::string* find(const std::string& name) const;

  std::string text(const std::string& name) const;  // empty when there is none
  bool flag(const std::string& name) const;
  std::uint64_t number(const std::string& name) const;

  // All of them in the order of their names, those that begin with `prefix` without it.
  std::map<std::string, std::string> all(std::string_view prefix = {}) const;
  const std::map<std::string, std::string>& changed() const { return set_; }
  // Takes over what was set in `other`.
  void merge(const Config& other);

  // Lines of "name value"; # begins a comment.
  void load(const std::string& file);
  // Without empty values and secrets.
  void save(const std::string& file) const;

 private:
  std::map<std::string, std::string> set_;
  mutable std::map<std::string, std::string> environment_;
};

struct ConfigHandle {
  static constexpr std::string_view kName = "config";
  Config config;
};

// Goes through what there was when it was made.
struct ConfigIterHandle {
  static constexpr std::string_view kName = "config iterator";
  std::map<std::string, std::string> all;
  std::map<std::string, std::string>::const_iterator at;
};

// The config, or the one of the context when `handle` is null. Throws Refusal.
const Config& config_or(const ConfigHandle* handle, const Config& otherwise);

}  // namespace tegula::capi
