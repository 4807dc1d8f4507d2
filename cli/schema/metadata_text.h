// Metadata of arrays and groups as text.
#pragma once

#include <string>
#include <string_view>

#include "tegula/array.h"
#include "text/json_writer.h"

namespace tegula::cli {

// A typed value as JSON: one value, or a list of them; text as a string.
std::string meta_json(const MetaValue& value);
// The same for strict JSON parsers: NaN and Infinity, which attributes may hold, become "nan", "inf", "-inf".
std::string strict_meta_json(const MetaValue& value);
// "key  type  value", aligned.
std::string metadata_lines(const Metadata& metadata, std::string_view indent);
// {key: {"type", "value"}}; JSON attributes as they are.
void write_metadata(JsonWriter& json, const Metadata& metadata);

}  // namespace tegula::cli
