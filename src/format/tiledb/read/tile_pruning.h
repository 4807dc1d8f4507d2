// What the metadata of a fragment decides about a tile before the tile is read.
#pragma once

#include <cstdint>

#include "format/tiledb/fragment/fragment.h"
#include "query/columns/field.h"
#include "query/condition/condition.h"

namespace tegula::tiledb {

// How a fragment stores a field of a condition or a result; null when it lacks it.
const StoredField* stored_field(const Fragment& fragment, const FieldInfo& field);

// Whether a condition can be decided from what the metadata says of a tile.
Match match_by_statistics(const Condition& condition, const Fragment& fragment, std::uint64_t tile);

}  // namespace tegula::tiledb
