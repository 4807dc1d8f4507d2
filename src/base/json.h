// JSON documents, with what Python's json module adds to them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tegula/bytes.h"

namespace tegula {

// Keeps the order of keys, so that documents are rewritten as they were.
using Json = nlohmann::ordered_json;

// Accepts bare NaN, Infinity and -Infinity, which become non-finite doubles. Throws Error(corrupt) with the file and
// offset.
Json parse_json(ByteView text, std::string_view name);

struct JsonStyle {
  int indent = -1;    // -1: one line
  bool ascii = true;  // \uXXXX escapes
  bool sort_keys = false;
  bool spaces = true;  // Python's ", " and ": " between items (one line only)
};
// Non-finite numbers are written bare. Floats are the shortest decimals that round-trip, spelled as Python does.
std::string dump_json(const Json& value, const JsonStyle& style = {});

}  // namespace tegula
