// The parts of a TileDB array that are consolidated and vacuumed.
#pragma once

#include <string>
#include <vector>

#include "tegula/tiledb.h"
#include "text/json_writer.h"

namespace tegula::cli {

struct PartName {
  const char* name;
  tiledb::Part part;
};

// The part of that name, or all of them for "all".
std::vector<PartName> parts_of(const std::string& what);
// The names, and "all".
std::vector<std::string> part_names();

// "key": [names].
void write_names(JsonWriter& json, const char* key, const std::vector<std::string>& names);

}  // namespace tegula::cli
