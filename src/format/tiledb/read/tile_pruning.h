// Deciding a condition for a whole tile from the metadata of its fragment.
#pragma once

#include <cstdint>

#include "format/tiledb/fragment/fragment.h"
#include "query/columns/field.h"
#include "query/condition/condition.h"

namespace tegula::tiledb {

// How a fragment stores a field; null when it lacks it.
const StoredField* stored_field(const Fragment& fragment, const FieldInfo& field);

// Whether all, some or none of the cells of a tile can match, judged by statistics and rectangles alone.
Match match_by_statistics(const Condition& condition, const Fragment& fragment, std::uint64_t tile);

}  // namespace tegula::tiledb
