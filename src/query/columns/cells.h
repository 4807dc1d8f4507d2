// Single cells of a column: text and nulls.
#pragma once

#include <cstdint>

#include "query/columns/field.h"

namespace tegula {

// Clears mask[i] where cell first + i is null.
void mask_nulls(const ColumnView& column, std::uint64_t first, std::uint64_t count, std::uint8_t* mask);

// The bytes of a text cell.
ByteView text_cell(const FieldInfo& field, const ColumnView& column, std::uint64_t i);
// Negative, 0 or positive. Compares unsigned bytes, or code points when `unicode`; a prefix comes before what it
// starts.
int compare_text(ByteView a, ByteView b, bool unicode, bool big_endian);

}  // namespace tegula
