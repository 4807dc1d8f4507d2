// Checked access to the members of configuration objects.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/fail.h"
#include "base/json.h"

namespace tegula::zarr {

// `fallback` when the member is absent or null; throws corrupt when it is not an integer of `low` .. `high`.
inline std::int64_t int_option(const Json& object, std::string_view key, std::int64_t fallback,
                               std::int64_t low = std::numeric_limits<std::int64_t>::min(),
                               std::int64_t high = std::numeric_limits<std::int64_t>::max()) {
  const auto it = object.find(key);
  if (it == object.end() || it->is_null()) return fallback;
  if (!it->is_number_integer() || it->get<std::int64_t>() < low || it->get<std::int64_t>() > high ||
      (it->is_number_unsigned() && it->get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()}))
    fail(ErrorKind::corrupt, "'{}' is {}, expected an integer of {} to {}", key, dump_json(*it), low, high);
  return it->get<std::int64_t>();
}

inline std::string text_option(const Json& object, std::string_view key, std::string_view fallback) {
  const auto it = object.find(key);
  if (it == object.end() || it->is_null()) return std::string(fallback);
  if (!it->is_string()) fail(ErrorKind::corrupt, "'{}' is {}, expected text", key, dump_json(*it));
  return it->get<std::string>();
}

inline bool bool_option(const Json& object, std::string_view key, bool fallback) {
  const auto it = object.find(key);
  if (it == object.end() || it->is_null()) return fallback;
  if (!it->is_boolean()) fail(ErrorKind::corrupt, "'{}' is {}, expected true or false", key, dump_json(*it));
  return it->get<bool>();
}

// A member that must be there.
inline const Json& member(const Json& object, std::string_view key) {
  const auto it = object.find(key);
  if (it == object.end()) fail(ErrorKind::corrupt, "'{}' is missing", key);
  return *it;
}

}  // namespace tegula::zarr
