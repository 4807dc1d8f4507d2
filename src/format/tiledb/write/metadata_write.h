// Changing the user metadata of arrays and groups.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "format/tiledb/filter/generic_tile.h"
#include "store/store.h"
#include "tegula/array.h"

namespace tegula::tiledb {

// Writes one file to __meta, or none when nothing changes. Throws invalid_argument for an empty key.
void put_metadata(Store& store, const std::map<std::string, std::optional<MetaValue>>& changes, std::uint32_t version,
                  const Key& key, std::uint64_t time);

}  // namespace tegula::tiledb
