// Changing the metadata of arrays and groups.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "format/tiledb/filter/generic_tile.h"
#include "store/store.h"
#include "tegula/array.h"

namespace tegula::tiledb {

// One new file in __meta; none when nothing changes. Throws invalid_argument for an empty key.
void put_metadata(Store& store, const std::map<std::string, std::optional<MetaValue>>& changes, std::uint32_t version,
                  const Key& key, std::uint64_t time);

}  // namespace tegula::tiledb
