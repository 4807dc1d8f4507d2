// Converts metadata between TileDB's typed values and JSON.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "tegula/array.h"

namespace tegula {

// All entries as the target format holds them: numbers, lists of numbers and text keep their value, bytes become
// {"hex"}, other JSON becomes text for TileDB.
std::map<std::string, std::optional<MetaValue>> metadata_for(const Metadata& metadata, std::string_view format);

}  // namespace tegula
