// A schema from flags or from a JSON file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/command.h"
#include "base/json.h"
#include "files/npy.h"
#include "tegula/schema.h"

namespace tegula::cli {

struct SchemaFlags {
  std::string format, schema_file, shape, type, tile, fill, filters;
  std::vector<std::string> dimensions, attributes;
  std::optional<std::uint64_t> capacity;
  bool sparse = false, table = false, duplicates = false;

  void describe(Verb& verb);
  // `like` gives shape and type when the flags leave them out. Throws invalid_argument with a hint.
  Schema schema(const std::optional<NpyHeader>& like) const;
};

// "v:float32", "name:utf8:var", "rgb:uint8:3", "n:int32:nullable", filled with zeros. `option` is for messages.
Attribute parse_attribute(const std::string& text, const char* option);
// Throws invalid_argument when the value does not fit.
void set_fill(Attribute& attribute, const Json& fill);

// Adds a JSON list of values behind those of the enumeration. Throws invalid_argument when one does not fit.
void append_values(Enumeration& enumeration, const Json& values);

// The document that `tegula info --json` prints (more keys are ignored).
Schema schema_of_json(const std::string& text, const std::string& name);

}  // namespace tegula::cli
