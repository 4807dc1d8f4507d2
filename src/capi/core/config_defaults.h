// The parameters of libtiledb 2.30 and their defaults.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tegula::capi {

struct Parameter {
  enum class Kind : std::uint8_t { text, flag, number, real, cores };  // cores: a number, that of the processors
  std::string_view name, value;
  Kind kind;
};

std::span<const Parameter> parameters();                 // in the order of their names
const Parameter* find_parameter(std::string_view name);  // null when it is not known
std::string default_of(const Parameter& parameter);

}  // namespace tegula::capi
