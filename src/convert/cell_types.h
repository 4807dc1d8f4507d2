// Converts cells to another type that holds them exactly.
#pragma once

#include "tegula/columns.h"
#include "tegula/schema.h"

namespace tegula {

// Gives the column the type, byte order and values per cell of the attribute. Values never change, only how they are
// stored: byte order, text of a fixed size between TileDB's and numpy's types, text of any length as fixed-size text
// that is long enough. Throws invalid_argument.
void as_type(Column& column, const Attribute& to);

}  // namespace tegula
