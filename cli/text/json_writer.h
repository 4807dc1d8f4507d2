// Writes JSON piece by piece.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <string>
#include <string_view>

#include "query/request/value_text.h"

namespace tegula::cli {

// Adds the commas; the caller closes what it opens.
class JsonWriter {
 public:
  JsonWriter& begin(char bracket) {  // '{' or '['
    separate();
    out_ += bracket;
    first_ = true;
    return *this;
  }
  JsonWriter& end(char bracket) {
    out_ += bracket;
    first_ = false;
    return *this;
  }
  JsonWriter& key(std::string_view name) {
    separate();
    append_json_key(out_, name);
    out_ += ": ";
    keyed_ = true;
    return *this;
  }
  JsonWriter& text(std::string_view value) {
    separate();
    append_json_bytes(out_, bytes_of(value));
    return *this;
  }
  JsonWriter& raw(std::string_view json) {
    separate();
    out_ += json;
    return *this;
  }
  template <std::integral T>
  JsonWriter& number(T value) {
    if constexpr (std::same_as<T, bool>)
      return raw(value ? "true" : "false");
    else
      return raw(fmt::format("{}", value));
  }
  JsonWriter& number(double value) {
    return std::isfinite(value) ? raw(fmt::format("{}", value))
                                : text(std::isnan(value) ? "nan"
                                       : value > 0       ? "inf"
                                                         : "-inf");
  }
  std::string line() const { return out_ + "\n"; }

 private:
  void separate() {
    if (!first_ && !keyed_) out_ += ", ";
    first_ = keyed_ = false;
  }
  std::string out_;
  bool first_ = true, keyed_ = false;
};

}  // namespace tegula::cli
